/**
 * Text that mail programs turn into a link: `scheme://`, `www.`, and a host name with a path. Host names may also
 * contain the dots of Chinese and Japanese.
 */
const address = /[a-z][a-z0-9+.-]*:\/\/|\bmailto:|\bwww[.。]|[\p{L}\p{N}-]+[.。]\p{L}{2,}[/\\]/iu

/** Whether a name contains a web address; full-width characters are treated as their usual forms. */
export const holdsWebAddress = (text: string): boolean => address.test(text.normalize('NFKC'))

export const webAddressFault = 'must not contain a web address'

const email = /^[("'“<]*[^\s@:/]+@[\p{L}\p{N}.-]+[)"'”>.,;:]*$/u

/**
 * The text for an e-mail, changed so that nothing in it becomes a link: a space after `://` and after each dot of a
 * host. E-mail addresses stay.
 */
export const withoutLinks = (text: string): string =>
  text
    .split(/(\s+)/)
    .map((word) => (email.test(word) ? word : broken(word)))
    .join('')

function broken(word: string): string {
  const usual = word.normalize('NFKC')
  const isAddress = /:\/\/|\bwww[.。]|[\p{L}\p{N}][.。]\p{L}{2}/iu.test(usual)
  if (!isAddress) return word
  return usual.replaceAll('://', ': // ').replaceAll(/(?<=[\p{L}\p{N}])([.。])(?=[\p{L}\p{N}])/gu, '$1 ')
}
