/** How large a file is, in words: '12 kB', '3.4 MB', of a thousand kilobytes as limits are said. */
export function sizeText(bytes: number): string {
  if (bytes < 100_000) return `${Math.max(1, Math.round(bytes / 1000))} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
