import type { SsoDomain } from '@caretaker/contract/single-sign-on.ts'
import { dateText, dateTimeText } from '../../../ui/age.ts'

/** Whether a domain is verified, as a chip shows it. */
export function stateText({ verifiedAt, checkedAt, missingSince, isByOperator }: SsoDomain, zone: string): string {
  if (verifiedAt) return `Verified ${dateText(verifiedAt, zone)}${isByOperator ? ' by the operator' : ''}`
  if (missingSince) return `No longer verified: record missing since ${dateText(missingSince, zone)}`
  return checkedAt ? `Not found yet, checked ${dateTimeText(checkedAt, zone)}` : 'Not verified yet'
}

const missing: Partial<Record<NonNullable<SsoDomain['fault']>, string>> = {
  'no domain': 'The domain does not exist in DNS.',
  'no record': 'The domain has no TXT record with this text. A new record can take some hours to appear.',
}

/** Why the record of a domain was not found at the last check; undefined if it was, or was never looked up. */
export function faultText(
  { verifiedAt, fault, missingSince, endsAt, checkedAt }: SsoDomain,
  zone: string,
): string | undefined {
  if (!verifiedAt) return fault && checkedAt ? missing[fault] : undefined
  if (missingSince && endsAt) {
    const reason = fault === 'no domain' ? 'The domain does not exist' : 'The DNS record is missing'
    const end = `Unless it is found again, users of the domain sign in with a password from ${dateTimeText(endsAt, zone)}.`
    return `${reason}, noticed ${dateTimeText(missingSince, zone)}. ${end}`
  }
  if (fault !== 'no answer') return undefined
  const last = checkedAt ? ` The record was last found ${dateTimeText(checkedAt, zone)}.` : ''
  return `The name servers of the domain did not respond.${last} The check is repeated every hour.`
}
