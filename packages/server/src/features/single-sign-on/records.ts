import { Resolver } from 'node:dns/promises'
import type { RecordFault } from '@caretaker/rules/identity/single-sign-on.ts'
import type { Context } from '../../context.ts'

/** Looks for a TXT record of a domain; returns why it was not found, null if it was. */
export async function recordFault(
  { resolveTxt }: Pick<Context, 'resolveTxt'>,
  domain: string,
  record: string,
): Promise<RecordFault | null> {
  try {
    const found = await (resolveTxt?.(domain) ?? new Resolver({ timeout: 3000, tries: 2 }).resolveTxt(domain))
    return found.some((parts) => parts.join('').trim() === record) ? null : 'no record'
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ENODATA') return 'no record'
    // Every other code, for example of a timeout or a refusal, proves nothing about the domain.
    return code === 'ENOTFOUND' ? 'no domain' : 'no answer'
  }
}
