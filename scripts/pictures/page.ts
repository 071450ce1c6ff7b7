import { marked } from 'marked'

type Theme = 'light' | 'dark'

const STYLE = `
  :root {
    --canvas: light-dark(#fff, #0d1117); --text: light-dark(#1f2328, #f0f6fc); --muted: light-dark(#59636e, #9198a1);
    --line: light-dark(#d1d9e0, #3d444d); --row: light-dark(#f6f8fa, #151b23); --link: light-dark(#0969da, #4493f8);
    --code: light-dark(#818b981f, #656c7633);
  }
  body { margin: 0; background: var(--canvas); color: var(--text); font: 16px/1.5 'Noto Sans', 'Liberation Sans', sans-serif }
  .card { margin: 1px; border: 1px solid var(--line); border-bottom: 0; border-radius: 6px 6px 0 0 }
  .title { padding: 12px 16px; border-bottom: 1px solid var(--line); font-size: 14px; font-weight: 600 }
  .title span { color: var(--muted); font-weight: 400 }
  .body { padding: 16px 24px }
  .body > :first-child { margin-top: 0 } .body > :last-child { margin-bottom: 0 }
  p, table, ul, ol, pre, details { margin: 0 0 16px }
  h1, h2, h3 { margin: 24px 0 16px; line-height: 1.25 }
  h1, h2 { padding-bottom: 5px; border-bottom: 1px solid var(--line) }
  h1 { font-size: 32px } h2 { font-size: 24px } h3 { font-size: 20px }
  a { color: var(--link) }
  table { border-collapse: collapse }
  td, th { padding: 6px 13px; border: 1px solid var(--line); text-align: left }
  td[align='right'] { text-align: right }
  tr:nth-child(2n) { background: var(--row) }
  code, pre { font: 13.6px/1.45 'DejaVu Sans Mono', monospace }
  code { padding: 3px 6px; border-radius: 6px; background: var(--code) }
  h2 code, h3 code { padding: 0 3px; font-size: inherit }
  pre { padding: 16px; border-radius: 6px; background: var(--row); white-space: pre-wrap }
  pre code { padding: 0; background: none }
`

/** Writes the page's height to `data-height` of its root element. */
const HEIGHT_SCRIPT =
  '<script type="module">document.documentElement.dataset.height = Math.ceil(document.body.getBoundingClientRect().height + 2)</script>'

/** Shows the diff beside the comments. */
export function conversationPage(html: string, theme: Theme): string {
  const style = `<style>:root { color-scheme: ${theme}; font-family: 'Noto Sans', 'Liberation Sans', sans-serif }
    body { max-width: none; margin: 1px; padding: 20px 24px 8px; border: 1px solid var(--line); border-radius: 6px;
      display: grid; grid-template-columns: 1fr 400px; column-gap: 24px; align-items: start; align-content: start }
    h1, .facts { grid-column: 1 / -1 } .comment { grid-column: 1 } .files { grid-column: 2; grid-row: 3 / span 4; margin: 0 }
    td:not(:nth-child(2)) { white-space: nowrap }</style>`
  return `${html}${style}${HEIGHT_SCRIPT}`
}

/** Renders Markdown as a page that looks like a job summary on GitHub. */
export function summaryPage(text: string, theme: Theme): string {
  const html = marked.parse(text, { async: false, gfm: true })
  return `<!doctype html>
<html>
  <head><meta charset="utf-8"><style>:root { color-scheme: ${theme} } ${STYLE}</style></head>
  <body>
    <div class="card">
      <div class="title">docs <span>summary</span></div>
      <div class="body">${html}</div>
    </div>
    ${HEIGHT_SCRIPT}
  </body>
</html>
`
}

/** Shows lines of a terminal. */
export function screenPage(text: string, theme: Theme): string {
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').trimEnd()
  return `<!doctype html>
<html>
  <head><meta charset="utf-8"><style>:root { color-scheme: ${theme} } ${STYLE} pre { margin: 0; border-radius: 0 }</style></head>
  <body><pre>${html}</pre>${HEIGHT_SCRIPT}</body>
</html>
`
}
