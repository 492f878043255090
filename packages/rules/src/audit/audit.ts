/** Sign-ins and refusals. They change nothing and are kept as long as events. */
export const accessActions = [
  'signed in',
  'sign-in failed',
  'sign-in locked out',
  'password changed',
  'second factor changed',
  'single sign-on linked',
  'session ended',
  'call refused',
] as const
export type AccessAction = (typeof accessActions)[number]

/** All actions in the audit log, as filter labels. Add new kinds of changes here. */
export const auditActions = [
  'user created',
  'user details changed',
  'user tags changed',
  'user role changed',
  'user deleted',
  'viewing as user started',
  'viewing as user ended',
  'reads of personal data exported',
  'password reset sent',
  'second factor reset',
  'sessions ended',
  'password link made',
  'user invited again',
  'user moved to another identity provider',
  'tag created',
  'tag renamed',
  'tag deleted',
  'alert created',
  'alert changed',
  'alert deleted',
  'alert sent again',
  'alert unsubscribed',
  'access rights tag created',
  'access rights tag deleted',
  'device access rights tag changed',
  'property access rights tag changed',
  'device tags changed',
  'device uninstalled',
  'device installed',
  'device moved',
  'test result corrected',
  'test result disputed',
  'test dispute decided',
  'test result judged again',
  'luminaire changed',
  'light operation changed',
  'standard luminaire added',
  'standard luminaire deleted',
  'battery limits changed',
  'monitored LED circuit changed',
  'device condition set',
  'device condition ended',
  'interim measure changed',
  'device repair recorded',
  'light test planned',
  'light test stopped',
  'light test withdrawn',
  'repair photo added',
  'group added',
  'group changed',
  'group deleted',
  'building added',
  'building changed',
  'building removed',
  'floor moved',
  'floor plan uploaded',
  'compliance record added',
  'compliance record withdrawn',
  'gas appliance added',
  'gas appliance removed',
  'compliance certificate added',
  'compliance figures changed',
  'damp figures changed',
  "Awaab's Law figures changed",
  'device note added',
  'bulk action started',
  'bulk action undone',
  'flick test requested',
  'network join requested',
  'network leave requested',
  'boiler reset requested',
  'autofill reset requested',
  'command taken back',
  'boiler setting requested',
  'set point requested',
  'schedule sent',
  'relay switch requested',
  'property address changed',
  'property reference changed',
  'property details changed',
  "Awaab's Law case opened",
  "Awaab's Law step entered",
  "Awaab's Law step taken up again",
  "Awaab's Law date corrected",
  "Awaab's Law case changed",
  "Awaab's Law case closed",
  "Awaab's Law case reopened",
  "Awaab's Law record added",
  'property added',
  'property removed',
  'property photograph added',
  'property photograph deleted',
  'void asked again',
  'property archived',
  'property brought back',
  'property moved',
  'list imported',
  'import undone',
  'resident access requested',
  'resident access approved',
  'resident access revoked',
  'resident app settings changed',
  'resident app key added',
  'resident app key revoked',
  'API key made',
  'API key revoked',
  'webhook added',
  'webhook changed',
  'webhook deleted',
  'webhook disabled',
  'webhook secret rotated',
  'webhook messages sent again',
  'connection added',
  'connection changed',
  'connection paused',
  'connection resumed',
  'connection key replaced',
  'connection deleted',
  'sensor added',
  'sensor adding undone',
  'sensor ignored',
  'sensor restored',
  'sensor model chosen',
  'sensor mapping changed',
  'codec version saved',
  'codec activated',
  'codec rolled back',
  'messages decoded again',
  'savings and tips changed',
  'savings and tips deleted',
  'view created',
  'view changed',
  'view deleted',
  'device added',
  'device removed',
  'device key made',
  'device key replaced',
  'device key revoked',
  'client added',
  'client changed',
  'client suspended',
  'client resumed',
  'client licences changed',
  'client exported',
  'client logo changed',
  'sign-in policy changed',
  'group access changed',
  'provisioning key made',
  'provisioning key revoked',
  'provisioning changed',
  'provisioning refused',
  'single sign-on added',
  'single sign-on changed',
  'single sign-on secret replaced',
  'single sign-on removed',
  'single sign-on domain added',
  'single sign-on domain verified',
  'single sign-on domain removed',
  'single sign-on record missing',
  'single sign-on record found',
  'feature switched',
  'capability switched',
  ...accessActions,
] as const
export type AuditAction = (typeof auditActions)[number]

/** Kinds of changed objects. */
export const auditSubjects = [
  'user',
  'tag',
  'alert',
  'access rights tag',
  'device',
  'group',
  'building',
  'property',
  'resident',
  'client',
  'view',
  'bulk action',
  'standard luminaire',
  'import',
  'API key',
  'webhook',
  'connection',
  'sensor',
  'sensor model',
] as const
export type AuditSubject = (typeof auditSubjects)[number]

/** An audit entry: only the changed fields, before and after. */
export type Changed = Record<string, unknown>

/** The fields of `after` that differ from `before`, with both values; undefined if nothing differs. */
export function differences(before: Changed, after: Changed): { before: Changed; after: Changed } | undefined {
  const names = Object.keys(after).filter((name) => !same(before[name], after[name]))
  if (names.length === 0) return undefined
  const part = (whole: Changed) => Object.fromEntries(names.map((name) => [name, whole[name] ?? null]))
  return { before: part(before), after: part(after) }
}

interface Described {
  action: AuditAction
  type: AuditSubject
  name: string
  after?: Changed | null
}

/** A change on the page of a property: the action, the device, and the step of a case. */
export function describedChange({ action, type, name, after }: Described): string {
  const sentence = action.charAt(0).toUpperCase() + action.slice(1)
  if (type === 'device') return `${sentence}, ${name}`
  const step = after?.awaabsLawStep
  return typeof step === 'string' ? `${sentence}, ${step}` : sentence
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

const placeField = /address|postcode|^town$|^county$|latitude|longitude/i
const personField = /name|e-?mail|phone|mobile|birth/i

/**
 * A record without customers' personal data, for tenants with HideCustomerPersonalData: addresses and similar fields,
 * and anything that identifies a resident. Names of the tenant's own users stay.
 */
export function withoutCustomerData(subject: AuditSubject, record: Changed | null): Changed | null {
  if (!record) return null
  const isPersonal = (name: string) => placeField.test(name) || (subject === 'resident' && personField.test(name))
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (isPersonal(name) ? [] : [[name, plain(value, subject)]])),
  )
}

function plain(value: unknown, subject: AuditSubject): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one, subject))
  return typeof value === 'object' && value !== null ? withoutCustomerData(subject, value as Changed) : value
}
