/* The numbers that training starts from, and what becomes of the hidden sizes that are asked for.
 */
#include "support/cmocka_all.h"
#include "train/defaults.h"
#include "train/trainer.h"

static void each_kind_of_data_has_its_own(void **state)
{
    (void)state;
    const sbl_train_options table = sbl_train_options_of(SBL_DATA_TABLE);
    const sbl_train_options images = sbl_train_options_of(SBL_DATA_IMAGES);
    assert_true(table.steps == 4000 && table.batch == 1000 && table.rate == 5e-3);
    assert_true(images.steps == 5000 && images.batch == 500 && images.rate == 5e-3);
    assert_true(table.average == 0 && images.average == 0.998);
    assert_true(table.balance == 0.5 && table.class_power == 1);
    assert_true(table.seed == 0 && table.progress == NULL);
}

static void hidden_sizes_replace_the_default_ones(void **state)
{
    (void)state;
    const size_t hidden[] = {7, 6, 5, 4};
    sbl_network network;
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_TABLE, NULL, 0, NULL), SBL_OK);
    assert_true(network.latent == 16 && network.count == 3 && network.hidden[2] == 256);
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_TABLE, hidden, 4, NULL), SBL_OK);
    assert_true(network.count == 4 && network.hidden[0] == 7 && network.hidden[3] == 4);
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_IMAGES, hidden, 1, NULL), SBL_OK);
    assert_true(network.latent == 32 && network.count == 3);
    assert_true(network.hidden[0] == 7 && network.hidden[1] == 32 && network.hidden[2] == 16);
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_IMAGES, hidden, 3, NULL), SBL_OK);
    assert_true(network.hidden[1] == 6 && network.hidden[2] == 5);
}

static void numbers_of_sizes_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    const size_t hidden[SBL_NETWORK_MOST_HIDDEN + 1] = {0};
    sbl_network network;
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_IMAGES, hidden, 2, NULL), SBL_EARG);
    assert_int_equal(sbl_network_choose(&network, SBL_DATA_IMAGES, hidden, 4, NULL), SBL_EARG);
    assert_int_equal(
        sbl_network_choose(&network, SBL_DATA_TABLE, hidden, SBL_NETWORK_MOST_HIDDEN + 1, NULL),
        SBL_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_data_has_its_own),
        cmocka_unit_test(hidden_sizes_replace_the_default_ones),
        cmocka_unit_test(numbers_of_sizes_that_mean_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
