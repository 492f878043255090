/** The texts of a source that people can read: strings of more than one word, and text between tags; comments are left out. */
export function textsOf(source: string, isPage: boolean): string[] {
  const code = source.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
  const quoted = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g)].map(
    ([, one, other]) => one ?? other!,
  )
  const between = isPage
    ? [...code.matchAll(/>\s*([^<>{}=;()]*[a-z][^<>{}=;()]*?)\s*</gi)].map(([, text]) => text!)
    : []
  return [...quoted.filter((text) => / /.test(text) || /^[A-Z][a-z-]+$/.test(text)), ...between]
}
