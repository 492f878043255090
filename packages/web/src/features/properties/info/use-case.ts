import { changeAwaabsLawCase } from '@caretaker/contract/calls/awaabs-law.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import type { AwaabsLawHazard } from '@caretaker/rules/properties/awaabs-law.ts'
import type { AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { usePropertyEdit } from '../queries.ts'

/** A change to a property's case, as sent. */
export interface LawChange {
  status?: AwaabsLawStatus
  hazard?: AwaabsLawHazard
  emergency?: boolean
  on?: Day
  at?: string
  corrects?: string
  reason?: string
  reopen?: true
}

/** Sends changes to a property's case: all or none. */
export function useCaseChange(property: Property): (changes: LawChange[]) => Promise<void> {
  const { tenant } = useActor()
  const { edit } = usePropertyEdit(property)
  const { propertyId, version } = property
  return (changes) => edit(call(changeAwaabsLawCase, { params: { tenant, propertyId }, body: { version, changes } }))
}
