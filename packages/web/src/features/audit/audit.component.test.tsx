import { expect, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { auditActions } from '@caretaker/rules/audit/audit.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { main } from '../../testing/screen.ts'

const address = '/northgate/Audit'
const entry = {
  ...{ id: crypto.randomUUID(), at: '2026-03-01T12:00:00.000Z', userName: 'Ann', action: 'tag created' as const },
  ...{ subject: 'Night', subjectType: 'tag' as const, subjectId: crypto.randomUUID(), before: null, after: null },
}
const page = { results: [entry], total: 1, searchedFrom: null, actions: [...auditActions] }

test('the audit shows how far it counted and searched, and how to see more', async () => {
  const portal = await openPortal(address, { role: 'Admin', answers: [answer(getAudit, { ...page, total: 10_001 })] })
  await expect
    .element(
      main.getByText(
        'There are more than 10,000. Choose an earlier last day, or a subject, user or action, to see others.',
      ),
    )
    .toBeVisible()
  const searched = { ...page, searchedFrom: '2026-02-01T09:00:00.000Z' }
  portal.use(answer(getAudit, searched))
  await portal.go(`${address}?user=Ann`)
  await expect.element(main.getByText(/^Searched back to 01\/02\/2026 09:00/)).toBeVisible()
  portal.use(answer(getAudit, { ...searched, results: [], total: 0 }))
  await portal.go(`${address}?user=Bob`)
  await expect
    .element(main.getByText(/To search older changes, choose this day or an earlier one as the last day\.$/))
    .toBeVisible()
})
