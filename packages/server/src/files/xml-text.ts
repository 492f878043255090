import { createGunzip } from 'node:zlib'

/** Maximum bytes to which a compressed drawing may unpack: twice the largest upload. */
export const mostUnpacked = 40 * 1024 * 1024

export type Unpacked = { content: Blob } | { fault: 'too large' | 'damaged' }

/** The content of a file without gzip compression (RFC 1952), as in `.svgz`. */
export async function unpacked(content: Blob): Promise<Unpacked> {
  const [first, second] = new Uint8Array(await content.slice(0, 2).arrayBuffer())
  if (first !== 0x1f || second !== 0x8b) return { content }
  const gunzip = createGunzip()
  gunzip.end(new Uint8Array(await content.arrayBuffer()))
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for await (const part of gunzip as AsyncIterable<Buffer<ArrayBuffer>>) {
      if ((size += part.length) > mostUnpacked) return { fault: 'too large' }
      parts.push(part)
    }
  } catch {
    return { fault: 'damaged' }
  } finally {
    gunzip.destroy()
  }
  return { content: new Blob(parts) }
}

/**
 * The encoding of an XML text: by its byte-order mark, else by the bytes of its first '<', else as declared (XML 1.0,
 * appendix F).
 */
export async function encodingOf(content: Blob): Promise<string> {
  const head = Buffer.from(await content.slice(0, 1024).arrayBuffer())
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  if (head[0] === 0x3c && head[1] === 0) return 'utf-16le'
  if (head[0] === 0 && head[1] === 0x3c) return 'utf-16be'
  const text = head.toString('latin1')
  if (text.startsWith('\xef\xbb\xbf')) return 'utf-8'
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(text)?.[1]?.trim().toLowerCase() ?? 'utf-8'
  // It could be read as single bytes, so it cannot be in these encodings.
  return /^(?:utf-?16|ucs-?2|iso-10646-ucs-2)/.test(declared) ? 'utf-8' : declared
}

/** A decoder that rejects invalid bytes; undefined for an unknown encoding. */
export function decoderOf(encoding: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch {
    return undefined
  }
}
