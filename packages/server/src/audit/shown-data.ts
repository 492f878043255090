import { personalFields } from '@caretaker/contract/personal-fields.ts'
import type { LooksAt } from '@caretaker/contract/route.ts'

/** The personal data of properties in a response. */
export interface ShownData {
  /** Ids of properties, or of devices whose property is looked up when the read is stored. */
  homes: string[]
  residents: string[]
  /** The number of objects with personal data; null for a file of unknown length. */
  rows: number | null
}

const idFields = ['propertyId', 'devicePropertyId', 'residenceId'] as const

/**
 * The properties and residents whose personal data a response contains; undefined if it contains none, because it is
 * empty or hidden from the caller. An object without an id of its own belongs to the property of the object around it.
 */
export function shownIn(
  { of, fields = [] }: LooksAt,
  response: unknown,
  asked: Record<string, unknown>,
): ShownData | undefined {
  const isPersonal = (name: string) => personalFields.has(name) || fields.includes(name)
  const homes = new Set<string>()
  const residents = new Set<string>()
  let rows = 0
  const visit = (value: unknown, home: string | undefined): void => {
    if (Array.isArray(value)) return value.forEach((one) => visit(one, home))
    if (typeof value !== 'object' || value === null) return
    const record = value as Record<string, unknown>
    const own =
      idFields.map((name) => record[name]).find(isText) ?? home ?? auditedHome(record) ?? textOf(record.deviceId)
    const entries = Object.entries(record)
    if (isText(record.auth0UserId)) residents.add(record.auth0UserId)
    if (entries.some(([name, one]) => isPersonal(name) && isGiven(one)) || isOfResident(record)) {
      rows += 1
      if (own !== undefined) homes.add(own)
    }
    for (const [, one] of entries) visit(one, own)
  }
  visit(response, requestedHome(asked))
  if (rows === 0) return undefined
  return { homes: [...homes], residents: [...residents], rows: of === 'resident' ? residents.size : homes.size || rows }
}

/**
 * The subject of a file: the property or resident that the handler names, otherwise the property that the call names,
 * if it names one.
 */
export function shownInFile(
  asked: Record<string, unknown>,
  rows: number | null,
  { propertyId, residentId }: { propertyId?: string; residentId?: string } = {},
): ShownData {
  const home = propertyId ?? requestedHome(asked)
  return { homes: home === undefined ? [] : [home], residents: residentId === undefined ? [] : [residentId], rows }
}

/** The property or device of an audit entry. */
const auditedHome = ({ subjectType, subjectId }: Record<string, unknown>) =>
  subjectType === 'property' || subjectType === 'device' ? textOf(subjectId) : undefined
/** Whether it is an audit entry that names a resident. */
const isOfResident = ({ subjectType, subject }: Record<string, unknown>) =>
  subjectType === 'resident' && isText(subject)

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const textOf = (value: unknown) => (isText(value) ? value : undefined)
const isGiven = (value: unknown) => isText(value) || (typeof value === 'number' && Number.isFinite(value))
const requestedHome = (asked: Record<string, unknown>) => textOf(asked.propertyId) ?? textOf(asked.deviceId)
