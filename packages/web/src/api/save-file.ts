/** Hands a file to the browser to keep, under its name. */
export function saveFile(file: File): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = file.name
  link.click()
  // The browser reads the address after the press.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
