/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of image sets: they speak of images, show some synthetic ones in the part that may be
 * published, and stay small. */
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */
#include <openssl/evp.h>

#include "after/sinks/image_writer.h"
#include "base/alloc.h"
#include "owner/report/report_page.h"
#include "report/image_report_kit.h"
#include "report/render_kit.h"
#include "report/report_kit.h"
#include "support/cmocka_all.h"

FREES(sbl_free);

static const char evaluation[] =
    JSON({"format":"semblance-evaluation","version":1,"kind":"images","inputs":{"synthetic":{"path":"out",
    "rows":60},"real":{"path":"test","rows":1}},"images":{"grids":[],"scores":[{"name":"m",
    "value":{"synthetic":0.5}}],"frechet":{"encoder":"e","images":50},"closest":{"reference":60}}});
static const kit_image_set digits = {{6, 6, 1}, 90, 3, false};

static char *render(const char *certificate, const char *compared, const sbl_report_preview *shown)
{
    const sbl_page_options options = {.preview = shown};
    return kit_render(certificate, compared, &options);
}

/* ---- words ---- */

static void cut(char *text, const char *from, const char *to)
{
    for (char *at = text; (at = strstr(at, from)) != NULL;) {
        char *end = strstr(at, to);
        assert_non_null(end);
        memmove(at, end + strlen(to), strlen(end + strlen(to)) + 1);
    }
}

/* What a reader sees, without what is quoted from the certificate; html is changed. */
static char *visible(char *html)
{
    cut(html, "<style>", "</style>");
    cut(html, "<pre>", "</pre>");
    cut(html, "<", ">");
    cut(html, "recorded in", " "); /* the ledger: no record of a table */
    return html;
}

static bool has_words_of_tables(const char *text)
{
    static const char *const words[] = {"table", "Table", "row", "Row", "record", "column"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i]) != NULL) {
            print_message("%s: %.60s\n", words[i], strstr(text, words[i]));
            return true;
        }
    return false;
}

TEST(a_certificate_of_images_is_told_in_words_of_images)
{
    for (size_t i = 0; i < KIT_PERSONS; i++) { /* images have no persons with several */
        CLEARED(kit_clear) certified c;
        kit_certify_images(&c, &kit_cases[i]);
        FREED(sbl_free) char *html = render(c.text, NULL, NULL);
        assert_non_null(strstr(html, "<title>Synthetic images report</title>"));
        assert_non_null(strstr(html, "<dt>images of the private image set</dt>"));
        assert_non_null(strstr(html, "One image is protected, not one person"));
        assert_null(strstr(html, "One row is"));
        assert_false(has_words_of_tables(visible(html)));
    }
}

TEST(a_certificate_of_a_table_is_told_in_words_of_tables)
{
    CLEARED(kit_clear) certified c;
    kit_certify(&c, &kit_cases[0]);
    FREED(sbl_free) char *html = render(c.text, NULL, NULL);
    assert_non_null(strstr(html, "<title>Synthetic data report</title>"));
    assert_non_null(strstr(html, "<dt>rows of the private table</dt>"));
    assert_non_null(strstr(html, "One row is protected, not one person"));
    assert_null(strstr(visible(html), "image"));
}

TEST(an_evaluation_of_images_is_told_in_words_of_images)
{
    FREED(sbl_free) char *html = render(NULL, evaluation, NULL);
    assert_non_null(strstr(html, "How good a synthetic image set is."));
    assert_non_null(strstr(html, "<dd>out, 60 images</dd>"));
    assert_non_null(strstr(html, "<dd>test, 1 image</dd>"));
    assert_int_equal(kit_count(html, "<strong>NOT PRIVATE</strong>"), 1);
    assert_false(has_words_of_tables(visible(html)));
}

/* ---- the picture ---- */

/* The text of a PNG file that holds the first images of each class. */
static char *expected_png(const kit_image_set *set, size_t rows, size_t columns)
{
    sbl_image_grid *grid = NULL;
    sbl_text png = {0};
    uint8_t *pixels = malloc(sbl_image_size(set->shape));
    assert_non_null(pixels);
    assert_ok(sbl_image_grid_new(&grid, set->shape, rows, columns, NULL));
    for (size_t i = 0; i < set->count; i++) {
        const uint32_t label = set->classes > 0 ? (uint32_t)(i % set->classes) : 0;
        kit_image(pixels, set, i);
        sbl_image_grid_add(grid, pixels, set->classes > 0 ? &label : NULL, 1);
    }
    assert_ok(sbl_image_grid_encode(grid, &png, NULL));
    char *text = malloc(png.length * 2);
    assert_non_null(text);
    (void)EVP_EncodeBlock((unsigned char *)text, (const unsigned char *)png.data, (int)png.length);
    sbl_image_grid_free(grid);
    sbl_text_clear(&png);
    free(pixels);
    return text;
}

static void assert_shows_first_images(const kit_image_set *set, size_t rows, size_t columns)
{
    CLEARED(sbl_report_preview_clear) sbl_report_preview preview;
    assert_ok(kit_preview(&preview, set, NULL));
    assert_int_equal(preview.rows, rows);
    assert_int_equal(preview.columns, columns);
    assert_int_equal(preview.height, rows * (set->shape.height + 2) + 2);
    assert_int_equal(preview.width, columns * (set->shape.width + 2) + 2);
    FREED(free) char *png = expected_png(set, rows, columns);
    assert_string_equal(preview.png, png);
}

TEST(the_first_images_of_each_class_are_shown)
{
    const kit_image_set few = {{6, 6, 3}, 5, 3, false}, rgb = {{6, 6, 3}, 300, 12, false};
    assert_shows_first_images(&digits, 3, 10);
    assert_shows_first_images(&few, 3, 10); /* the places of others stay empty */
    assert_shows_first_images(&rgb, 12, 8);
}

TEST(a_set_without_labels_has_rows_without_names)
{
    const kit_image_set many = {{6, 6, 1}, 90, 0, false}, few = {{6, 6, 1}, 13, 0, false};
    CLEARED(kit_clear) certified c;
    sbl_report_preview preview;
    assert_shows_first_images(&many, 6, 10);
    assert_shows_first_images(&few, 2, 10);
    assert_ok(kit_preview(&preview, &few, NULL));
    kit_certify_images(&c, &kit_cases[0]);
    char *html = render(c.text, NULL, &preview);
    assert_null(strstr(html, "<ul aria-label="));
    assert_non_null(strstr(html, "alt=\"A grid of synthetic images: 2 rows of up to 10\""));
    assert_null(strstr(html, "left out"));
    sbl_free(html);
    sbl_report_preview_clear(&preview);
}

TEST(wide_images_stand_in_few_columns)
{
    const kit_image_set wide = {{8, 128, 1}, 9, 3, false}, half = {{30, 62, 1}, 30, 3, false};
    assert_shows_first_images(&wide, 3, 1);
    assert_shows_first_images(&half, 3, 5);
}

TEST(an_empty_set_has_no_picture)
{
    const kit_image_set none = {{6, 6, 1}, 0, 3, false};
    CLEARED(kit_clear) certified c;
    sbl_report_preview preview;
    assert_ok(kit_preview(&preview, &none, NULL));
    assert_null(preview.png);
    kit_certify_images(&c, &kit_cases[0]);
    char *html = render(c.text, NULL, &preview);
    assert_null(strstr(html, "<img"));
    assert_null(strstr(html, "id=\"preview\""));
    sbl_free(html);
    sbl_report_preview_clear(&preview);
}

/* ---- how large it may be ---- */

TEST(classes_beyond_forty_are_left_out_and_counted)
{
    const kit_image_set many = {{4, 4, 1}, 500, 52, false};
    CLEARED(kit_clear) certified c;
    sbl_report_preview preview;
    assert_shows_first_images(&many, 40, 6);
    assert_ok(kit_preview(&preview, &many, NULL));
    kit_certify_images(&c, &kit_cases[0]);
    char *html = render(c.text, NULL, &preview);
    assert_non_null(strstr(html, " 40 of 52 classes are shown; 12 are left out"));
    assert_non_null(strstr(html, "<li><span>39</span></li>"));
    assert_int_equal(kit_count(html, "<li><span>"), 40);
    sbl_free(html);
    sbl_report_preview_clear(&preview);
}

/* Noise cannot be compressed: the worst that a generator can do. */
TEST(a_picture_of_noise_stays_within_its_limit)
{
    static const kit_image_set sets[] = {
        {{32, 32, 3}, 400, 10, true},  /* fewer images of each class */
        {{32, 32, 3}, 400, 40, true},  /* few */
        {{128, 128, 3}, 40, 10, true}, /* fewer classes too */
        {{128, 128, 3}, 60, 0, true},
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        CLEARED(sbl_report_preview_clear) sbl_report_preview preview;
        assert_ok(kit_preview(&preview, &sets[i], NULL));
        assert_true(strlen(preview.png) <= 300000);
        assert_true(strlen(preview.png) > 120000); /* and shows what it can */
        assert_shows_first_images(&sets[i], preview.rows, preview.columns);
    }
}

/* ---- where it stands ---- */

TEST(names_of_classes_stay_text_beside_the_picture)
{
    kit_image_set set = {{6, 6, 1}, 60, 0, false};
    CLEARED(kit_clear) certified c;
    sbl_report_preview preview;
    while (kit_hostile_names[set.classes] != NULL) set.classes++;
    assert_ok(kit_preview(&preview, &set, kit_hostile_names));
    kit_certify_images(&c, &kit_cases[0]);
    char *html = render(c.text, NULL, &preview);
    assert_int_equal(kit_count(html, "<li><span>"), set.classes);
    assert_non_null(strstr(html, "<li><span>&lt;script&gt;alert(1)&lt;/script&gt;</span></li>"));
    assert_int_equal(kit_count(html, "<script"), 0);
    assert_int_equal(kit_count(html, "<img"), 1);
    sbl_free(html);
    sbl_report_preview_clear(&preview);
}

TEST(the_picture_stands_in_the_public_part)
{
    CLEARED(kit_clear) certified c;
    sbl_report_preview preview;
    assert_ok(kit_preview(&preview, &digits, NULL));
    kit_certify_images(&c, &kit_cases[0]);
    char *html = render(c.text, evaluation, &preview);
    const char *picture = strstr(html, "src=\"data:image/png;base64,iVBOR");
    assert_true(picture != NULL && picture < strstr(html, "<div class=\"private\">"));
    assert_non_null(strstr(html, "<a href=\"#preview\">Synthetic images</a>"));
    sbl_free(html);
    html = render(c.text, NULL, &preview);
    assert_int_equal(kit_count(html, "<img"), 1);
    assert_int_equal(kit_count(html, "<strong>PUBLIC</strong>"), 1);
    assert_non_null(strstr(html, "These images are <strong>synthetic</strong>."));
    assert_non_null(strstr(html, "alt=\"A grid of synthetic images: 3 rows of up to 10, one"));
    assert_non_null(strstr(html, "width=\"574\" height=\"182\"")); /* 82 by 26, seven times */
    assert_non_null(strstr(html,
                           "content=\"default-src &#39;none&#39;; style-src "
                           "&#39;unsafe-inline&#39;; img-src data:; base-uri"));
    assert_non_null(strstr(html, "image-rendering:pixelated"));
    sbl_free(html);
    sbl_report_preview_clear(&preview);
}

/* Without a certificate nothing says that they may be published. */
TEST(without_a_certificate_there_is_no_picture)
{
    sbl_report_preview preview;
    assert_ok(kit_preview(&preview, &digits, NULL));
    char *html = render(NULL, evaluation, &preview);
    assert_null(strstr(html, "<img"));
    sbl_free(html);
    sbl_report_preview_clear(&preview);
}

TEST(images_beside_a_certificate_of_a_table_are_refused)
{
    CLEARED(kit_clear) certified c;
    CLEARED(sbl_report_preview_clear) sbl_report_preview preview;
    sbl_error err = {0};
    char *html = (char *)1;
    assert_ok(kit_preview(&preview, &digits, NULL));
    kit_certify(&c, &kit_cases[0]);
    const sbl_page_options options = {.preview = &preview};
    assert_int_equal(sbl_report_render(&html, c.text, NULL, &options, &err), SBL_EINPUT);
    assert_null(html);
    assert_non_null(strstr(err.message, "not for an image set"));
}

/* A page claims no more about its images than is known. */
TEST(what_is_said_of_the_images_depends_on_what_is_known)
{
    static const char covered[] = "covered by the guarantee below";
    static const char drawn[] = "saw no private image";
    sbl_report_preview preview;
    assert_ok(kit_preview(&preview, &digits, NULL));
    for (size_t i = 0; i < kit_case_count; i++) {
        CLEARED(kit_clear) certified c;
        const bool none = kit_cases[i].test_key || strcmp(kit_cases[i].epsilon, "inf") == 0;
        kit_certify_images(&c, &kit_cases[i]);
        preview.given = i % 2 == 1;
        FREED(sbl_free) char *html = render(c.text, NULL, &preview);
        assert_int_equal(kit_count(html, covered), !none);
        assert_int_equal(kit_count(html, drawn), !preview.given);
        assert_int_equal(kit_count(html, "They were not checked against the files that the certificate"),
                         preview.given);
    }
    sbl_report_preview_clear(&preview);
}
