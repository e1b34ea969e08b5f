import { createHash } from 'node:crypto'
import { STYLE } from './elements/index.ts'
import { type Html, html } from './html.ts'

export interface Page {
  readonly title: string
  /** Summary of the page, in a sentence or two. */
  readonly lead: string
  readonly sections: readonly Html[]
  /** Script at the end of the body; absent: no script. */
  readonly script?: string
}

/**
 * Renders a page in one file that loads nothing. Its content security policy allows only its own script and
 * no connections, so a browser runs no other script even if a name evades the escaping.
 */
export function renderPage({ title, lead, sections, script }: Page): string {
  const scripts = script === undefined ? '' : `; script-src 'sha256-${sha256(script)}'`
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:${scripts}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ html: policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${lead}</p>
${sections}
</main>
<footer>Made by sliceflow. Below each chart a table says the same.</footer>
${script === undefined ? undefined : { html: `<script>${script}</script>` }}
</body>
</html>
`.html
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64')
