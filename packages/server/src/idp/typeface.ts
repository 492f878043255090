import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { webFolder } from '../http/web-folder.ts'

let known: string | undefined

/** The product's own typeface for the provider's pages: the font file of the web client, if it is built. */
export function typeface(): string {
  return (known ??= find()) ?? ''
}

function find(): string | undefined {
  const assets = path.join(webFolder, 'assets')
  const file =
    existsSync(assets) && readdirSync(assets).find((name) => /^inter-latin-wght-normal-.+\.woff2$/.test(name))
  if (!file) return undefined
  return `@font-face { font-family: 'Inter Variable'; font-weight: 100 900; font-display: swap;
  src: url(/assets/${file}) format('woff2-variations') }`
}
