/* SPDX-License-Identifier: Apache-2.0 */
/* What every page begins with, and its style sheet. Text and its ground differ by 4.5 to 1 at least, in light and in dark; lines and
 * bars by 3 to 1. Real is blue and solid, synthetic is orange and striped: they differ for people
 * who do not see colours and on grey paper too (colours: Okabe, Ito 2008). */
#include <string.h>

#include "owner/report/html.h"

static const char *const style[] = {
    ":root{color-scheme:light dark;--ground:#fff;--panel:#f6f7f9;--rule:#d5dae0;--ink:#1c2126;"
    "--soft:#545d68;--real:#0072b2;--synthetic:#d55e00;--floor:#7b8490;--link:#0a5c91;"
    "--danger:#8c1220;--danger-ink:#fff;--good:#0b5a3c;--good-ink:#fff}\n",
    "@media screen and (prefers-color-scheme:dark){:root{--ground:#11161c;--panel:#19202a;"
    "--rule:#35404d;--ink:#e7ebf0;--soft:#a9b3bf;--real:#56b4e9;--synthetic:#f0a030;"
    "--floor:#8b95a1;--link:#7cc4f4;--danger:#a31d2e;--good:#12694a}}\n",
    "*{box-sizing:border-box}\n", "html{-webkit-text-size-adjust:100%}\n",
    "body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.6 system-ui,"
    "-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif}\n",
    ".page{max-width:70rem;margin:0 auto;padding:2.5rem 1.5rem 5rem}\n",
    "h1{font-size:2.1rem;line-height:1.2;margin:0 0 .4rem;letter-spacing:-.015em;"
    "overflow-wrap:anywhere}\n",
    "h2{font-size:1.5rem;line-height:1.25;margin:0 0 .8rem;letter-spacing:-.01em}\n",
    "h3{font-size:1.1rem;margin:2.2rem 0 .5rem}\n", "p,ul,dl{max-width:46rem}\n", "p{margin:.6rem 0 1rem}\n",
    "a{color:var(--link)}\n", "section{margin:0 0 4rem}\n", ".subtitle,.note,.how{color:var(--soft)}\n",
    ".note{font-size:.9rem}\n", ".how{border-left:3px solid var(--rule);padding-left:1rem}\n",
    ".how strong,.how em{color:var(--ink)}\n", ".lead{font-size:1.15rem}\n",
    "nav ul{max-width:none;list-style:none;padding:0;margin:1.2rem 0 "
    "2.5rem;display:flex;flex-wrap:wrap;"
    "gap:.3rem 1.3rem}\n",
    ".banner{max-width:none;margin:1.5rem 0 2.5rem;padding:1rem 1.25rem;border-radius:.5rem}\n",
    ".banner strong{display:block;font-size:1.35rem;letter-spacing:.04em}\n",
    ".danger{background:var(--danger);color:var(--danger-ink)}\n",
    ".good{background:var(--good);color:var(--good-ink)}\n",
    ".private{border-left:6px solid var(--danger);padding-left:1.5rem}\n",
    ".tag{display:inline-block;vertical-align:.2em;font-size:.68rem;line-height:1;"
    "letter-spacing:.06em;padding:.35em .6em;border-radius:.3rem;background:var(--danger);"
    "color:var(--danger-ink)}\n",
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:0 2rem;"
    "max-width:none;margin:1.8rem 0}\n",
    ".facts div{border-top:1px solid var(--rule);padding:.6rem 0 1rem}\n",
    ".facts dt{color:var(--soft);font-size:.85rem}\n",
    ".facts "
    "dd{margin:0;font-weight:600;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}\n",
    ".tight{margin:.4rem 0 1rem;padding-left:1.2rem}\n", ".tight li{margin:.1rem 0}\n",
    ".lists{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:0 2.5rem}\n",
    /* A shadow where a table goes on: two that stay with the page, and two of the ground's colour that
     * stay with the table and hide them at its ends. */
    ".scroll{overflow-x:auto;margin:1.2rem 0 1.5rem;background:"
    "linear-gradient(90deg,var(--ground) 40%,transparent) 0 0/2.5rem 100% no-repeat local,"
    "linear-gradient(270deg,var(--ground) 40%,transparent) 100% 0/2.5rem 100% no-repeat local,"
    "linear-gradient(90deg,var(--rule),transparent) 0 0/.9rem 100% no-repeat scroll,"
    "linear-gradient(270deg,var(--rule),transparent) 100% 0/.9rem 100% no-repeat scroll}\n",
    "table{border-collapse:collapse;font-size:.92rem;line-height:1.4;"
    "font-variant-numeric:tabular-nums lining-nums}\n",
    "caption span{display:block;max-width:calc(100vw - 4rem)}\n",
    "caption{text-align:left;font-weight:600;padding:0 0 .5rem}\n",
    "th,td{padding:.38rem 0 .38rem 1.5rem;text-align:right;vertical-align:baseline;"
    "border-bottom:1px solid var(--rule)}\n",
    "th:first-child,th[scope=row],.word{text-align:left}\n", "td:not(.word){white-space:nowrap}\n",
    ".set{min-width:15rem}\n", "tr>:first-child{padding-left:0}\n",
    ".next>:first-child{padding-left:1.5rem;text-align:right}\n",
    "tbody .next>:first-child{text-align:left}\n",
    "tbody th{font-weight:400;overflow-wrap:anywhere;min-width:8rem;max-width:22rem}\n",
    "tbody th[scope=rowgroup]{font-weight:600;vertical-align:top}\n",
    "thead th{color:var(--soft);font-weight:600;font-size:.85rem;vertical-align:bottom;"
    "border-bottom:2px solid var(--rule)}\n",
    "thead th[scope=colgroup]{text-align:right;border-bottom:1px solid var(--rule)}\n",
    "pre{background:var(--panel);border:1px solid var(--rule);border-radius:.5rem;"
    "padding:1rem 1.2rem;overflow-x:auto;font-size:.82rem;line-height:1.5;white-space:pre-wrap;"
    "overflow-wrap:anywhere}\n",
    "code,pre{font-family:ui-monospace,'SFMono-Regular','DejaVu Sans Mono',Menlo,Consolas,"
    "monospace}\n",
    "details{margin:1rem 0}\n", "summary{cursor:pointer;color:var(--link)}\n",
    "figure{margin:0;min-width:0}\n",
    "figcaption{font-size:.85rem;line-height:1.35;color:var(--soft);margin-bottom:.4rem;"
    "overflow-wrap:anywhere}\n",
    "figcaption strong{display:block;color:var(--ink);font-size:.95rem}\n",
    ".multiples{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));"
    "gap:2.2rem 2.4rem;margin:1.2rem 0 2rem;align-items:start}\n",
    ".pairs{grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr))}\n",
    ".heat-real{fill:var(--real)}\n", ".heat-synthetic{fill:var(--synthetic)}\n",
    ".frame{fill:none;stroke:var(--rule);stroke-width:1}\n",
    ".whisker{fill:none;stroke:var(--ink);stroke-width:1.4}\n",
    ".untold .heat-synthetic{fill:var(--floor)}\n", ".untold .frame{stroke-dasharray:4 3}\n",
    ".maps{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));"
    "gap:2rem 1.5rem;margin:1.2rem 0}\n",
    ".wide{max-width:34rem;margin:1.5rem 0}\n",
    ".grids{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:2rem}\n",
    ".grids img{width:100%;max-width:30rem;height:auto;image-rendering:pixelated;"
    "border:1px solid var(--rule)}\n",
    ".preview{display:flex;gap:.7rem;margin:.8rem 0 1rem}\n",
    ".preview ul{display:grid;grid-auto-rows:1fr;flex:none;max-width:34%;list-style:none;margin:0;"
    "padding:0;font-size:.8rem;line-height:1.15;text-align:right}\n",
    ".preview li{display:grid;align-content:center;min-width:0}\n",
    ".preview span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}\n",
    ".preview img{display:block;align-self:flex-start;min-width:0;max-width:100%;height:auto;"
    "image-rendering:pixelated;object-fit:contain;object-position:left top}\n",
    ".chart{display:block;width:100%;height:auto;overflow:visible}\n", ".scale{overflow:visible}\n",
    "svg text{fill:var(--soft);font-size:11px;font-variant-numeric:tabular-nums}\n",
    "svg .sized text{font-size:inherit}\n", "svg .strong{fill:var(--ink);font-weight:600;font-size:12px}\n",
    "svg .end{text-anchor:end}\n", "svg .middle{text-anchor:middle}\n", ".real{fill:var(--real)}\n",
    ".synthetic{fill:url(#stripes);stroke:var(--synthetic);stroke-width:1}\n",
    ".floor{fill:none;stroke:var(--floor);stroke-width:1}\n",
    ".synthetic-line{fill:none;stroke:var(--synthetic);stroke-width:2.2;stroke-linejoin:round}\n",
    ".real-line{fill:none;stroke:var(--real);stroke-width:2.2;stroke-dasharray:5 3}\n",
    ".dot{fill:var(--synthetic)}\n", "path.real{fill-opacity:.55}\n",
    ".axis{fill:none;stroke:var(--soft);stroke-width:1}\n",
    ".grid{fill:none;stroke:var(--rule);stroke-width:1;stroke-dasharray:2 3}\n",
    ".none{fill:url(#undefined)}\n", ".dash{fill:none;stroke:#111;stroke-width:.9}\n",
    ".patterns{position:absolute;width:0;height:0}\n", ".lines figure{margin:1.6rem 0 2rem}\n",
    ".lines .chart{min-width:38rem}\n",
    ".legend{list-style:none;padding:0;margin:.5rem 0 1rem;display:flex;flex-wrap:wrap;"
    "gap:.3rem 1.6rem;font-size:.9rem}\n",
    "figure.legend{display:block;max-width:17rem}\n", ".legends{display:flex;flex-wrap:wrap;gap:1rem 3rem}\n",
    ".scale{display:block;width:16.5rem;max-width:100%;height:auto;margin-bottom:.3rem}\n",
    ".key{display:inline-block;width:1.6rem;height:.75rem;margin-right:.5rem;"
    "vertical-align:-.05rem}\n",
    ".key-real{background:var(--real)}\n",
    ".key-synthetic{border:1.5px solid var(--synthetic);background:repeating-linear-gradient("
    "135deg,var(--synthetic) 0 2px,transparent 2px 5px)}\n",
    ".key-line-real{height:0;border-top:3px dashed var(--real);vertical-align:.25rem}\n",
    ".key-line-synthetic{height:0;border-top:3px solid var(--synthetic);vertical-align:.25rem}\n",
    "footer{border-top:1px solid var(--rule);margin-top:4rem;padding-top:1rem;color:var(--soft);"
    "font-size:.9rem}\n",
    "@media (min-width:40rem){caption{white-space:nowrap}}\n",
    "@media (max-width:40rem){.page{padding:1.25rem 1rem 3rem}h1{font-size:1.6rem}"
    "th,td,.next>:first-child{padding-left:.9rem}tbody th{min-width:6rem}"
    "h2{font-size:1.3rem}.private{padding-left:.8rem;border-left-width:4px}"
    "section{margin-bottom:3rem}}\n",
    "@media print{@page{margin:16mm 14mm}html{font-size:9.5pt}.page{max-width:none;padding:0}"
    "nav{display:none}details:not(.raw)::details-content{content-visibility:visible;display:block}"
    "section{margin-bottom:2rem}h2,h3,caption{break-after:avoid}"
    "figure,tr,.banner,.facts div{break-inside:avoid}thead{display:table-header-group}"
    ".multiples{grid-template-columns:repeat(3,1fr);gap:1.2rem "
    "1.4rem}.pairs{grid-template-columns:1fr 1fr}"
    ".maps{grid-template-columns:repeat(2,1fr);gap:1.5rem}.scroll{overflow:visible;background:none}"
    ".private{border-left-width:3px;padding-left:5mm}"
    ".preview img{max-height:215mm}"
    ".banner,.tag,.key,svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "a{color:inherit}}\n",
    NULL};

/* No script, no network, no form: the browser is told to enforce it too, should an escape ever be missed. */
void sbl_html_page_open(sbl_text *out, const char *title, bool is_private)
{
    sbl_html_print(out,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
                   "style-src &#39;unsafe-inline&#39;; img-src data:; base-uri &#39;none&#39;; form-action "
                   "&#39;none&#39;\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"referrer\" content=\"no-referrer\">\n");
    if (is_private) sbl_html_print(out, "<meta name=\"robots\" content=\"noindex, noarchive\">\n");
    sbl_html_print(out, "<link rel=\"icon\" href=\"data:,\">\n<title>%.200s%s</title>\n<style>\n", title,
                   is_private ? " (NOT PRIVATE)" : "");
    for (size_t i = 0; style[i] != NULL; i++) sbl_text_append(out, style[i], strlen(style[i]));
    sbl_html_print(out, "</style>\n</head>\n<body>\n");
}
