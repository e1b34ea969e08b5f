import { type Html, html } from './html.ts'
import { STYLE } from './style.ts'

interface Page {
  readonly title: string
  /** Summary of the page, in a sentence or two. */
  readonly lead: string
  readonly sections: readonly Html[]
}

/**
 * Renders a page in one file that loads nothing. Its content security policy allows no script and no
 * connections, so a browser runs nothing even if a name evades the escaping.
 */
export function renderPage({ title, lead, sections }: Page): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
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
</body>
</html>
`.html
}
