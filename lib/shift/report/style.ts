/** The page around the charts. Calm: one column, one accent for what failed, hairlines instead of boxes. */
export const pageStyle = `
:root { color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1c2430; --quiet: #586474; --hair: #dfe4ea; --focus: #1f5fae;
  --good: #1b6e52; --good-area: #e5f3ed; --bad: #b3261e; --bad-area: #fbeae8; --still: #7a5200; --still-area: #fbf1dc; }
@media screen and (prefers-color-scheme: dark) { :root {
  --page: #0e1318; --card: #141a21; --ink: #e6ebf0; --quiet: #9fabb8; --hair: #2a333d; --focus: #7fb4f5;
  --good: #6fd0ac; --good-area: #15302a; --bad: #ff9d94; --bad-area: #3a1d1c; --still: #f0c36a; --still-area: #33290f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
.page { max-width: 1056px; margin: 0 auto; padding: 40px 24px 56px; }
h1 { font-size: 1.1rem; line-height: 1.3; margin: 0; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 0 0 14px; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: 0; }
.quiet { color: var(--quiet); }
.answer + .answer { margin-top: 18px; }
section { background: var(--card); border: 1px solid var(--hair); border-radius: 10px; padding: 22px 24px; margin-top: 20px; }
.verdict { margin-top: 16px; padding: 18px 22px; border-radius: 10px; border-left: 5px solid currentColor; }
.verdict strong { display: block; font-size: 1.05rem; }
.verdict p { color: var(--ink); white-space: pre-line; overflow-wrap: anywhere; }
.verdict .sentence { font-size: 1.6rem; line-height: 1.25; font-weight: 650; margin: 2px 0 8px; text-wrap: pretty; }
.verdict summary, .verdict summary:hover { color: var(--ink); text-decoration: underline; text-underline-offset: 3px; }
.verdict .scroll { color: var(--ink); }
.verdict thead th, .verdict caption { color: var(--ink); }
.verdict-completed { color: var(--good); background: var(--good-area); }
.verdict-rolledBack, .verdict-aborted { color: var(--bad); background: var(--bad-area); }
.verdict-held { color: var(--still); background: var(--still-area); }
.facts { display: flex; flex-wrap: wrap; gap: 14px 40px; margin: 22px 0 0; }
.facts dt { color: var(--quiet); font-size: 0.85rem; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
figure { margin: 0; }
figcaption { color: var(--quiet); font-size: 0.9rem; margin-bottom: 8px; overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; }
.narrow { display: none; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(400px, 100%), 1fr)); gap: 20px 28px; }
.check > details { margin-top: 0; }
.check > details > .panels { margin-top: 14px; }
.check summary h3 { display: inline; }
.panels svg { max-width: 460px; }
.check + .check { margin-top: 28px; padding-top: 24px; border-top: 1px solid var(--hair); }
.check h3 { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; margin-bottom: 10px; }
details { margin-top: 18px; }
summary { cursor: pointer; color: var(--quiet); font-size: 0.9rem; width: fit-content; border-radius: 4px; }
summary:hover { color: var(--ink); }
.scroll { overflow-x: auto; margin-top: 10px; border-radius: 4px; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 0 0 8px; }
th, td { text-align: left; padding: 6px 28px 6px 0; border-top: 1px solid var(--hair); vertical-align: top; }
th { font-weight: 400; white-space: nowrap; }
tr > :first-child, tr > :nth-child(2), .number { width: 1%; }
thead th { color: var(--quiet); border-top: 0; font-size: 0.85rem; }
td { overflow-wrap: break-word; white-space: pre-line; }
td:last-child { min-width: 12ch; }
.number { text-align: right; white-space: nowrap; }
time { white-space: nowrap; }
.verdict-fail { color: var(--bad); font-weight: 600; }
.verdict-inconclusive { color: var(--still); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
footer { margin-top: 24px; color: var(--quiet); font-size: 0.85rem; }
@media (max-width: 640px) {
  .page { padding: 24px 14px 40px; }
  section { padding: 18px 16px; }
  .verdict { padding: 16px; }
  .verdict .sentence { font-size: 1.35rem; }
  .facts { display: grid; grid-template-columns: 1fr 1fr; gap: 12px 20px; }
  .wide { display: none; } .narrow { display: block; }
}
@media print {
  body { background: #ffffff; font-size: 11pt; }
  .page { max-width: none; padding: 0; }
  section { border: 0; padding: 0; margin-top: 24px; }
  .wide { display: block; } .narrow { display: none; }
  figure, tr, .verdict { break-inside: avoid; }
  h2, h3, figcaption, caption { break-after: avoid; }
  .panels { grid-template-columns: 1fr 1fr; }
  .scroll { overflow: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .verdict, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
