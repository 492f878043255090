/** A file of a form: its bytes lie on the disk of this machine since it was uploaded. */
export class SpooledFile extends File {
  readonly path: string

  constructor(content: Blob, name: string, { type, path }: { type: string; path: string }) {
    super([content], name, { type })
    this.path = path
  }
}
