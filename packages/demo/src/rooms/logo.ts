/** A client's logo as data URLs for light and dark mode, which replaces its name in the top bar. */
export interface Logo {
  light: string
  dark: string
}

/** A globe with a meridian, and the name. */
function drawing(ink: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 216 32" width="216" height="32">
<g fill="none" stroke="#0f766e" stroke-width="2.4"><circle cx="16" cy="16" r="13"/><path d="M3 16h26"/></g>
<path fill="none" stroke="#d97706" stroke-width="2.8" d="M16 3c7.5 7 7.5 19 0 26"/>
<text x="38" y="22" fill="${ink}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="18" font-weight="600">Meridian Council</text>
</svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}

export const meridianLogo: Logo = { light: drawing('#15303a'), dark: drawing('#eef4f4') }
