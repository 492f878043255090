type Scheme = 'light' | 'dark'

/**
 * The address of a client's logo for a colour scheme, from the client's settings; undefined without a logo. Only data
 * URLs and pictures of this site are allowed, so that no other site learns who works here.
 */
export function logoIn(settings: Readonly<Record<string, unknown>>, scheme: Scheme): string | undefined {
  const { logo } = settings
  if (typeof logo !== 'object' || logo === null) return undefined
  const { light, dark } = logo as Partial<Record<Scheme, unknown>>
  const [wanted, other] = scheme === 'dark' ? [dark, light] : [light, dark]
  return [wanted, other].find((address): address is string => isOwn(address))
}

function isOwn(address: unknown): boolean {
  return typeof address === 'string' && /^(data:image\/(svg\+xml|png|webp);|\/(?![/\\]))/.test(address)
}
