import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const file = (name: string) => require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)

/** Letters of most of Europe and the Near East: names of people and places are written as they are. */
export const fonts = {
  plain: file('DejaVuSansCondensed'),
  bold: file('DejaVuSansCondensed-Bold'),
  /** Each sign as wide as another. */
  mono: file('DejaVuSansMono'),
} as const
export type FontName = keyof typeof fonts
