import type { Config } from '../config.ts'
import { guardBasePath } from '../routes.ts'
import type { ExplorerFiles } from './explorer-files.ts'

const icon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#2458d3'/><path d='M4 5h8M4 8h8M4 11h5' stroke='#fff' stroke-width='1.6' stroke-linecap='round'/></svg>`

/**
 * The document around the explorer's script. What the script has to know of the deployment stands in `meta`, because nothing
 * inline may run. The first screen is drawn before the script is there.
 */
export const explorerHtml = (config: Config, { script, style }: Pick<ExplorerFiles, 'script' | 'style'>): string =>
  `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Every table of this service, drawn from what its structure tells.">
<meta name="explorer-base" content="${escaped(guardBasePath(guardOf(config)))}">
<meta name="explorer-demo-users" content="${escaped(config.EXPLORER_DEMO_USERS ?? '')}">
<title>Table explorer</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<link rel="stylesheet" href="explorer/${style.name}">
<script type="module" src="explorer/${script.name}"></script>
</head>
<body>
<div id="explorer"><div class="boot" aria-hidden="true"></div></div>
<noscript>This page draws tables in the browser and needs JavaScript.</noscript>
</body>
</html>
`

/** A browser is a web client. */
const guardOf = ({ GUARDS }: Config): string => (GUARDS.includes('web') ? 'web' : (GUARDS[0] ?? 'web'))

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
