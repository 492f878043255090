import { Counter } from 'prom-client'
import { recordFaults } from '@caretaker/rules/identity/single-sign-on.ts'
import type { Context } from '../../context.ts'
import { doDue } from '../../postgres/due.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { recordFault } from './records.ts'
import { noteRecord, recordText } from './service.ts'
import { domainRows, domainsToCheck, nextDomainCheck } from './store.ts'

/** The initiator of automatic changes in the audit log. */
const caretaker = { id: null, name: 'Caretaker' } as const

type Needs = Pick<Context, 'config' | 'db' | 'log' | 'metrics' | 'resolveTxt'>

/**
 * Checks the DNS records of verified domains, each once a day; returns how many. Nothing is checked while the
 * installation makes no calls to other servers, or while another identity provider signs people in.
 */
export async function checkDomains(context: Needs, now = new Date()): Promise<number> {
  const { config, db } = context
  if (!config.outbound || !config.oidc.embedded) return 0
  return doDue(db, {
    ...{ work: 'check domains', now, next: nextDomainCheck },
    run: (tenant) => checkDomainsOf(context, tenant, now),
  })
}

async function checkDomainsOf(context: Needs, tenant: string, now: Date): Promise<number> {
  const { config, db, log } = context
  const checks = checkCounter(context)
  const due = await inTenant(db, tenant, (tx) => domainsToCheck(tx, now))
  // Outside a transaction: name servers may take seconds.
  const results = await Promise.all(
    due.map(async (row) => ({ ...row, fault: await recordFault(context, row.domain, recordText(row.proof)) })),
  )
  for (const { domain, proof, fault } of results) {
    checks.inc({ result: fault ?? 'found' })
    if (fault) log.warn({ tenant, domain, fault }, 'the record of a verified domain was not found')
    await inTenant(db, tenant, async (tx) => {
      // It may have been removed meanwhile, and added again with another record.
      const isKnown = (await domainRows(tx)).some((row) => row.domain === domain && row.proof === proof)
      if (isKnown) await noteRecord({ tx, context: { config }, person: caretaker }, { domain, fault }, now)
    })
  }
  return results.length
}

/** A registry may outlive a run: the existing counter is reused. */
function checkCounter({ metrics }: Pick<Needs, 'metrics'>): Counter<'result'> {
  const name = 'caretaker_sso_record_checks_total'
  const known = metrics.getSingleMetric(name)
  if (known instanceof Counter) return known
  const counter = new Counter({
    ...{ name, help: 'Daily checks of the DNS records of verified e-mail domains.', labelNames: ['result'] },
    registers: [metrics],
  })
  for (const result of ['found', ...recordFaults]) counter.inc({ result }, 0)
  return counter
}
