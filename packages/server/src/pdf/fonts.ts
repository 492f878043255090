import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const file = (name: string) => require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)

/** Fonts for most scripts of Europe and the Near East, so that names are written as they are. */
export const fonts = {
  plain: file('DejaVuSansCondensed'),
  bold: file('DejaVuSansCondensed-Bold'),
  /** Monospaced. */
  mono: file('DejaVuSansMono'),
} as const
export type FontName = keyof typeof fonts
