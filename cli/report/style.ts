/** Styles of every page. Charts use these variables as colours, so one drawing serves both themes. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1c2430; --quiet: #566173; --line: #d5dbe3; --raised: #f4f6f9;
  --series-1: #0b62c4; --series-2: #b3470b; --series-3: #18794e; --series-4: #8a3ab9; --series-5: #7a5c00;
  --ready: #18794e; --unready: #c2410c; --terminating: #8a93a3;
  --plot-background: var(--page);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --text: #e6eaf0; --quiet: #a3adbb; --line: #343d4a; --raised: #1b212a;
    --series-1: #6cb0ff; --series-2: #ff9d5c; --series-3: #57c794; --series-4: #cf9bf2; --series-5: #e0c14a;
    --ready: #57c794; --unready: #ff9d5c; --terminating: #7d8796;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 48rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0.25rem; }
p { margin: 0.25rem 0 0.75rem; color: var(--quiet); overflow-wrap: anywhere; }
a { color: var(--series-1); }
figure { margin: 0; }
.scroll { overflow: auto; max-height: 30rem;
  background: linear-gradient(to right, var(--page) 40%, transparent) 0 0 / 3rem 100% local,
    linear-gradient(to left, var(--page) 40%, transparent) 100% 0 / 3rem 100% local,
    linear-gradient(to right, var(--line), transparent) 0 0 / 0.9rem 100% scroll,
    linear-gradient(to left, var(--line), transparent) 100% 0 / 0.9rem 100% scroll;
  background-repeat: no-repeat; }
.wide > svg, .narrow > svg, .scroll > svg { display: block; max-width: none; }
.narrow { display: none; }
@media (max-width: 47rem) { .wide { display: none; } .narrow { display: block; } }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; margin: 0 0 0.5rem; list-style: none; font-size: 0.9rem; }
.legend i { display: inline-block; width: 0.8em; height: 0.8em; margin-right: 0.4em; border-radius: 2px; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; color: var(--quiet); padding: 0.35rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top;
  white-space: nowrap; }
th:first-child, td:first-child, .words td, .words th { text-align: left; }
thead th { white-space: normal; vertical-align: bottom; }
.words td:last-child { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
.words th { white-space: normal; }
@media (max-width: 44rem) {
  .listed, .listed tbody, .listed th { display: block; }
  .listed thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .listed tbody tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.35rem 0; border-bottom: 1px solid var(--line); }
  .listed tbody th { width: 100%; overflow-wrap: anywhere; }
  .listed td { display: flex; flex-grow: 1; justify-content: space-between; gap: 0.5rem; overflow-wrap: anywhere;
    min-width: calc(50% - 0.5rem); max-width: 100%; }
  .listed td::before { content: attr(data-label); color: var(--quiet); text-align: left; }
  .listed th, .listed td { border: 0; padding: 0.1rem 0; white-space: normal; }
}
svg.cells text { fill: var(--text); font-size: 12px; }
svg.cells .room { fill: var(--raised); stroke: none; }
.state-r { fill: var(--ready); } .state-u { fill: var(--unready); } .state-t { fill: var(--terminating); }
label { display: block; font-size: 0.9rem; }
:focus-visible { outline: 3px solid var(--series-1); outline-offset: 2px; }
footer { margin: 3rem 0 1rem; color: var(--quiet); font-size: 0.85rem; }
`
