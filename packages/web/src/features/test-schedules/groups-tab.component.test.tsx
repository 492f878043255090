import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getEmeredGroups } from '@caretaker/contract/groups.ts'
import { boxOf } from '../../testing/boxes.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { variedExampleOf } from '../../testing/varied.ts'

test('a missed 3-hour test fits below the next one', async () => {
  await openPortal('/northgate/EmergencyLightSchedules', {
    answers: [answer(getEmeredGroups, variedExampleOf(getEmeredGroups))],
  })
  const missed = page
    .getByRole('grid', { name: 'Groups' })
    .getByText(/missed by/)
    .first()
  await expect.element(missed).toBeVisible()
  const row = boxOf(page.getByCss('tbody tr[data-row]').filter({ hasText: 'missed by' }).first())
  expect(row.bottom - boxOf(missed).bottom).toBeGreaterThanOrEqual(6)
  expect(boxOf(page.getByCss('tbody tr[data-row] b').first()).top - row.top).toBeGreaterThanOrEqual(6)
})
