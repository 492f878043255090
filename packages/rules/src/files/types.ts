/** Accepted upload types: the content types detected from a file's content, with their extensions. */
export const fileTypes = {
  'application/pdf': { ending: 'pdf' },
  'image/png': { ending: 'png' },
  'image/jpeg': { ending: 'jpg' },
  'image/webp': { ending: 'webp' },
  'image/gif': { ending: 'gif' },
  'image/svg+xml': { ending: 'svg' },
  'image/heic': { ending: 'heic' },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': { ending: 'docx' },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { ending: 'xlsx' },
  // Written by the server only; never detected in uploads.
  'text/csv': { ending: 'csv' },
  'application/zip': { ending: 'zip' },
} as const satisfies Record<string, { ending: string }>

export type FileType = keyof typeof fileTypes

/** Error for a phone photograph in a format that most browsers and printed sheets cannot show, with the remedy. */
export const heicText =
  'HEIC photographs cannot be displayed everywhere. Save the photograph as JPEG and choose that file. To take JPEGs on an iPhone, choose Settings > Camera > Formats > Most Compatible.'

/** Whether a chosen file is such a photograph, by type or by name, because not all computers know the type. */
export const isHeic = ({ type, name }: { type: string; name: string }) =>
  /^image\/(?:heic|heif|avif)/.test(type) || (type === '' && /\.(?:heic|heif|avif)$/i.test(name))

export function isFileType(type: string): type is FileType {
  return Object.hasOwn(fileTypes, type)
}
