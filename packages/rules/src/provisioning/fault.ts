/** Why a SCIM request fails, as RFC 7644 names it (section 3.12). */
export type FaultType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness'

const statusOf = (type: FaultType): 400 | 409 => (type === 'uniqueness' ? 409 : 400)

/** A refusal of a SCIM request. */
export class Fault extends Error {
  override name = 'Fault'
  readonly status: number
  readonly type: FaultType | undefined
  constructor(type: FaultType | undefined, detail: string, status: number = type ? statusOf(type) : 400) {
    super(detail)
    this.type = type
    this.status = status
  }
}
