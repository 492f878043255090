import { refuse } from '@caretaker/contract/refusal.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { dayOfRecordFault, recordTexts, recordTypeWords } from '@caretaker/rules/compliance/records.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldRecord, OtherUse } from './store.ts'

/** 'LGSR-2026-11207 is already used for NG-000498, 21 Quarry Lane.', as far as the actor may know that property. */
export function otherUseText(number: string, { home }: OtherUse, actor: Actor): string {
  const address = home && !hidesPersonalData(actor) ? home.address : ''
  return `${number} is already used for ${home ? [home.reference, address].filter(Boolean).join(', ') : 'another property'}.`
}

const earliest = Date.UTC(1989, 11, 31)

/** Refuses a day on which no check can have taken place, in the client's time zone. */
export async function expectDay(tx: TenantTx, recordedAt: Date, now: Date): Promise<void> {
  const zone = await zoneOf(tx)
  const message =
    +recordedAt < earliest ? recordTexts.early : dayOfRecordFault(dayAt(+recordedAt, zone), dayAt(+now, zone))
  if (message) throw refuse('invalid', message, [{ field: 'recordTimestamp', message }])
}

/** The record in the words of the audit. */
export const inWords = (record: Pick<HeldRecord, 'type' | 'serialNumber' | 'recordedAt' | 'status' | 'testKit'>) => ({
  record: recordTypeWords[record.type],
  certificateNumber: record.serialNumber,
  date: record.recordedAt.toISOString(),
  result: record.status,
  ...(record.testKit && { testKit: record.testKit }),
})
