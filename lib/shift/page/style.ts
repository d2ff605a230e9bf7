import { chartStyle, pageStyle } from '../report/parts';

/** What the served page has beside the report: buttons, the bar of the live weights, the last answers. */
const ownStyle = `
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.note { margin-top: 14px; overflow-wrap: anywhere; }
[data-part]:empty { display: none; }
[data-part] > .facts, [data-part] > details { margin-top: 20px; }
.verdict { box-shadow: 0 1px 2px #0000000d; }
.tone-moving { color: var(--focus); background: var(--card); }
.tone-waiting { color: var(--still); background: var(--still-area); }
.tone-back { color: var(--bad); background: var(--bad-area); }
.verdict .sentence { margin-bottom: 4px; }
.left { font-weight: 400; white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--quiet); }
.tone-waiting .left, .tone-back .left { color: var(--ink); }
.split { margin-top: 14px; color: var(--ink); }
.bar { width: 100%; height: 14px; border-radius: 7px; background: var(--hair); }
.bar rect, .dot rect { fill: var(--hue); }
.bar rect { transition: width 0.6s, x 0.6s; }
.dot { display: inline-block; width: 10px; height: 10px; margin-right: 6px; }
.split ul { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 8px 0 0; padding: 0; list-style: none; }
.split li { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.actions { display: flex; flex-wrap: wrap; gap: 12px; align-items: end; margin-top: 18px; }
.actions form { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; }
section .actions { margin-top: 12px; }
.looks { margin-top: 16px; }
.button { display: inline-block; min-height: 44px; padding: 9px 18px; border-radius: 8px; border: 1px solid var(--line);
  background: var(--card); color: var(--ink); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; line-height: 24px; }
.button:hover { border-color: var(--ink); }
.button.primary { background: var(--focus); border-color: var(--focus); color: var(--on); }
.button.primary:hover { filter: brightness(1.08); }
.button.back { color: var(--bad); border-color: var(--bad); }
.button[aria-pressed="true"] { background: var(--bad); border-color: var(--bad); color: var(--on); }
.name { display: grid; font-size: 0.85rem; color: var(--quiet); }
.name input { font: inherit; font-size: 1rem; min-height: 44px; padding: 8px 12px; border-radius: 8px; border: 1px solid var(--line);
  background: var(--card); color: var(--ink); width: 16rem; max-width: 100%; }
.answers { list-style: none; margin: 0; padding: 0; }
.answers li { display: grid; grid-template-columns: auto 1fr; gap: 2px 16px; padding: 10px 0; border-top: 1px solid var(--hair); }
.answers li:first-child { border-top: 0; padding-top: 0; }
.answers li:last-child { padding-bottom: 0; }
.answers code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-weight: 600; overflow-wrap: anywhere; }
.answers span, .answers details { grid-column: 1 / -1; overflow-wrap: anywhere; min-width: 0; }
.answers details { margin-top: 4px; }
.answers strong { white-space: nowrap; }
.verdict-pass { color: var(--good); }
nav ul { list-style: none; margin: 12px 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 20px; font-size: 0.9rem; color: var(--quiet); }
nav a { color: var(--focus); } nav a[aria-current] { color: var(--ink); font-weight: 650; }
.ask p { margin-top: 12px; font-size: 1.05rem; overflow-wrap: anywhere; }
.note a { color: var(--focus); }
:root { --line: #7d8894; --on: #ffffff; }
@media screen and (prefers-color-scheme: dark) { :root { --line: #6c7885; --on: #10161c; } }
@media (max-width: 640px) {
  .actions > *, .actions form .button { flex: 1 1 auto; text-align: center; }
  .name, .name input { width: 100%; }
}
@media (prefers-reduced-motion: reduce) { .bar rect { transition: none; } }
@media (forced-colors: active) { .bar rect, .dot rect { forced-color-adjust: none; } }
@media print { .actions, .looks { display: none; } }
`;

/** The style sheet of a served page. */
export const servedStyle = pageStyle + chartStyle + ownStyle;
