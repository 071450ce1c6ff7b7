import { pathToFileURL } from 'node:url'
import { marked } from 'marked'

type Theme = 'light' | 'dark'

const COLOURS: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  light: {
    canvas: '#ffffff',
    text: '#1f2328',
    muted: '#59636e',
    line: '#d1d9e0',
    row: '#f6f8fa',
    link: '#0969da',
    code: '#818b981f',
  },
  dark: {
    canvas: '#0d1117',
    text: '#f0f6fc',
    muted: '#9198a1',
    line: '#3d444d',
    row: '#151b23',
    link: '#4493f8',
    code: '#656c7633',
  },
}

const STYLE = `
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
  pre.mermaid { padding: 0; background: none; text-align: center }
  pre.mermaid svg { max-width: 360px !important }
`

/** How the chart's block looks in the HTML that is made of a summary. */
const CHART = /<pre><code class="language-mermaid">([^]*?)<\/code><\/pre>/g

const TELL_HEIGHT = `<script>
      function tellHeight() {
        document.documentElement.dataset.height = Math.ceil(document.body.getBoundingClientRect().height + 2)
      }
    </script>`

/** The embedded service's page of a pull request, which tells its height as below. */
export function conversationPage(html: string, theme: Theme): string {
  const style = `<style>:root { color-scheme: ${theme}; font-family: 'Noto Sans', 'Liberation Sans', sans-serif }
    body { max-width: none; margin: 1px; padding: 20px 24px 8px; border: 1px solid var(--line); border-radius: 6px }</style>`
  return `${html}${style}${TELL_HEIGHT}<script>tellHeight()</script>`
}

function chartScripts(theme: Theme, mermaid: string): string {
  const options = { startOnLoad: false, theme: { light: 'default', dark: 'dark' }[theme] }
  return `<script src="${pathToFileURL(mermaid).href}"></script>
    <script>mermaid.initialize(${JSON.stringify(options)}); mermaid.run().then(tellHeight)</script>`
}

/**
 * A page that looks as the beginning of a job summary does on GitHub. It tells its height in `data-height` of its root element.
 * @param text Markdown
 * @param mermaid the path of Mermaid, where the summary has a chart
 */
export function summaryPage(text: string, theme: Theme, mermaid: string | undefined): string {
  const colours = Object.entries(COLOURS[theme]).map(([name, value]) => `--${name}: ${value}`)
  const html = marked.parse(text, { async: false, gfm: true })
  return `<!doctype html>
<html>
  <head><meta charset="utf-8"><style>:root { ${colours.join('; ')} } ${STYLE}</style></head>
  <body>
    <div class="card">
      <div class="title">docs <span>summary</span></div>
      <div class="body">${html.replace(CHART, '<pre class="mermaid">$1</pre>')}</div>
    </div>
    ${TELL_HEIGHT}
    ${mermaid === undefined ? '<script>tellHeight()</script>' : chartScripts(theme, mermaid)}
  </body>
</html>
`
}
