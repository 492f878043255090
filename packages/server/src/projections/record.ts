import type { TenantTx } from '../postgres/tenant.ts'
import { beforeCommit } from '../postgres/tenant.ts'
import type { DomainEvent } from './event.ts'
import { projections, runProjections } from './projections.ts'

const recorded = new WeakMap<TenantTx, DomainEvent[]>()
const projecting = new WeakSet<TenantTx>()

/**
 * Records events for the projections, which run once before the transaction commits. Only the owner of a table
 * records its events, in the command that writes it.
 */
export function record(tx: TenantTx, added: readonly DomainEvent[]): void {
  if (!added.length) return
  if (projecting.has(tx)) throw new Error(`A projection recorded an event: ${added[0]!.type}. Projections only write.`)
  const known = recorded.get(tx)
  if (known) {
    for (const event of added) known.push(event)
    return
  }
  recorded.set(tx, added.slice())
  beforeCommit(tx, () => {
    const events = recorded.get(tx)!
    recorded.delete(tx)
    return project(tx, events)
  })
}

/** Runs the projections, none of which may record an event. */
export async function project(tx: TenantTx, events: readonly DomainEvent[], list = projections): Promise<void> {
  projecting.add(tx)
  try {
    await runProjections(tx, events, list)
  } finally {
    projecting.delete(tx)
  }
}
