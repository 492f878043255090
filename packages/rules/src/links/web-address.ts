/**
 * What a text needs to become a link in an e-mail: programs that show e-mails make one of `scheme://`, of `www.`, and of the name of a
 * host with a path. The dots of Chinese and Japanese texts separate the parts of a host as well.
 */
const address = /[a-z][a-z0-9+.-]*:\/\/|\bmailto:|\bwww[.。]|[\p{L}\p{N}-]+[.。]\p{L}{2,}[/\\]/iu

/** Whether a name holds a web address. Full-width letters and signs count as their usual forms. */
export const holdsWebAddress = (text: string): boolean => address.test(text.normalize('NFKC'))

export const webAddressFault = 'must not contain a web address'

const email = /^[("'“<]*[^\s@:/]+@[\p{L}\p{N}.-]+[)"'”>.,;:]*$/u

/**
 * The text as an e-mail shows it, so that nothing in it becomes a link: a blank after `://` and after each dot of a host. E-mail
 * addresses stay as they are.
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
