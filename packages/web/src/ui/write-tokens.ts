import { fontFamily, radius, tokens } from './tokens.ts'

const rule = (selector: string, values: Record<string, string>) =>
  `${selector}{${Object.entries(values)
    .map(([name, value]) => `${name}:${value}`)
    .join(';')}}`

/** Writes the design tokens for the pages before the application, whose component library writes them itself. */
export function writeTokens(): void {
  const radii = Object.fromEntries(Object.entries(radius).map(([size, value]) => [`--mantine-radius-${size}`, value]))
  const style = document.createElement('style')
  style.textContent = [
    rule(':root', { ...tokens.variables, ...radii, '--mantine-font-family': fontFamily }),
    rule(":root[data-mantine-color-scheme='light']", tokens.light),
    rule(":root[data-mantine-color-scheme='dark']", tokens.dark),
  ].join('')
  document.head.append(style)
}
