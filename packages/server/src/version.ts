import { readFileSync } from 'node:fs'

const { version: written } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The product's version, from its package. */
export const version = written
