import type { Encoding } from '@caretaker/rules/imports/cells.ts'

/** Marks a letter that was read in an older encoding within a UTF-8 file: no text contains this character. */
export const mixedMark = '\uFDD0'

export interface Decoded {
  text: string
  code: Encoding
  /** Whether a byte-order mark specifies the encoding. */
  hasMark: boolean
}

/** The upper half of code page 850, used by Excel's 'CSV (MS-DOS)' (Unicode mapping of CP850). */
const cp850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'

/** The text of a file, in the chosen encoding or the one detected from its bytes. */
export function decode(bytes: Buffer, chosen: Encoding | null = null): Decoded {
  const marked = markOf(bytes)
  const code = chosen ?? marked ?? unmarkedOf(bytes)
  const hasMark = marked === code
  // A byte-order mark is not part of the text, whichever encoding is used.
  const own = bytes.subarray(marked === 'utf-8' ? 3 : marked ? 2 : 0)
  const text = code === 'utf-8' && chosen === null ? decodeMixed(own) : decodeAs(own, code)
  // The end-of-file character of MS-DOS.
  return { text: text.endsWith('\u001a') ? text.slice(0, -1) : text, code, hasMark }
}

function markOf(bytes: Buffer): Encoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

function decodeAs(bytes: Buffer, code: Encoding): string {
  if (code !== 'cp850') return new TextDecoder(code, { ignoreBOM: true }).decode(bytes)
  return bytes.toString('latin1').replaceAll(/[\u0080-\u00ff]/g, (sign) => cp850[sign.charCodeAt(0) - 128]!)
}

/** Bytes beyond ASCII: valid UTF-8 sequences, and others. */
const beyondAscii =
  /([\u00c2-\u00df][\u0080-\u00bf]|[\u00e0-\u00ef][\u0080-\u00bf]{2}|[\u00f0-\u00f4][\u0080-\u00bf]{3})|[\u0080-\u00ff]/g

/**
 * UTF-8; invalid bytes, left by programs that append to a file, are read as Windows-1252 and marked, so that no
 * letter is lost and all others stay unchanged.
 */
function decodeMixed(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes.toString('latin1').replaceAll(beyondAscii, (signs, together: string | undefined) => {
      const own = Buffer.from(signs, 'latin1')
      const text = together === undefined ? '\uFFFD' : own.toString('utf8')
      return text.includes('\uFFFD') ? `${mixedMark}${decodeAs(own, 'windows-1252')}` : text
    })
  }
}

/** The encoding of a file without a byte-order mark. */
function unmarkedOf(bytes: Buffer): Encoding {
  // In UTF-16, each ASCII character has a zero byte.
  const head = bytes.subarray(0, 4000)
  const zeros = (odd: 0 | 1) => head.filter((byte, at) => byte === 0 && at % 2 === odd).length
  if (zeros(1) > head.length / 4 && zeros(0) < head.length / 20) return 'utf-16le'
  if (zeros(0) > head.length / 4 && zeros(1) < head.length / 20) return 'utf-16be'
  let [inUtf8, others] = [0, 0]
  const latin1 = bytes.toString('latin1')
  for (const [, together] of latin1.matchAll(beyondAscii))
    if (together === undefined) others++
    else inUtf8++
  // Even one valid UTF-8 sequence is very unlikely in another encoding.
  if (others === 0 || inUtf8 > 0) return 'utf-8'
  const candidates = (['windows-1252', 'macintosh', 'cp850'] as const).map((code) => ({
    code,
    likely: likelyLetters(decodeAs(bytes, code)),
  }))
  const best = Math.max(...candidates.map(({ likely }) => likely))
  const alike = candidates.filter(({ likely }) => likely === best).map(({ code }) => code)
  // Only programs on old Macs end lines with a carriage return alone.
  if (alike.includes('macintosh') && latin1.includes('\r') && !latin1.includes('\n')) return 'macintosh'
  return alike[0]!
}

/**
 * Characters likely in lists of properties: a lower-case letter after a letter, a capital at the start, currency signs
 * and quotation marks.
 */
const likelySigns =
  /(?<=\p{L})[àáâãäåæçèéêëìíîïñòóôöøùúûüýÿœßŵŷ](?!\p{Lu})|(?<!\p{L})[ÀÁÂÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖØÙÚÛÜŒŴŶ](?=\p{Ll})|(?<=\p{L})’(?=\p{L}|\s|$)|[£€](?=\s?\d)|[‘“](?=\p{L})|(?<=\p{L}|[.?!])”|(?<=\s|\d)[–—](?=\s|\d)|(?<=\d)[°½¼¾²³]/gu
const unlikelySigns = /[\u0080-\u009f\u2500-\u259f�]|(?<=\p{Ll})[\p{Lu}‚„†‡ˆ‰¤¦§¨¬¯±´¶·¸]/gu

function likelyLetters(text: string): number {
  const count = (signs: RegExp) => text.match(signs)?.length ?? 0
  return count(likelySigns) - count(unlikelySigns)
}
