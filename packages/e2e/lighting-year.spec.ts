import type { Page } from '@playwright/test'
import { addTagToDevice } from '@caretaker/contract/actions.ts'
import { createAlertDefinition } from '@caretaker/contract/alerts.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { ask } from './fixtures/api.ts'
import { rowOf, toast } from './fixtures/lists.ts'
import { addDevice, caretaker } from './fixtures/operator.ts'
import { simulate } from './fixtures/simulator.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const tenant = 'northgate'
const building = 'Swift Tower'
/** The test worker runs every half minute, and a light records measurements at most once a second. */
const soon = { timeout: 100_000 }
const dialog = (page: Page) => page.getByRole('dialog')
const status = (page: Page) => page.getByRole('main').locator('header [data-tone]').first()

test('a test is scheduled, run and failed; the recipient gets an e-mail, another after the repair, and unsubscribes with its link', async ({
  pageOf,
  browser,
}) => {
  test.setTimeout(240_000)
  const stamp = `Y${Date.now() % 1_000_000_000}`
  const name = `Light ${stamp}`
  const light = await addDevice(tenant, '--product', 'EM')
  await caretaker(
    'device',
    'place',
    '--tenant',
    tenant,
    '--serial',
    light.serial,
    '--building',
    building,
    '--floor',
    '0',
    '--room',
    name,
  )
  // For the simulated light, an hour passes in a second; its battery is old.
  const ended = simulate([{ ...light, model: 'emered', product: 'EM', traits: { batteryHealth: 0.4 } }], {
    speed: 3600,
  })

  // The manager's rule notifies the people responsible for lights when one has failed.
  const manager = await pageOf('manager@northgate.example')
  await manager.goto('/northgate/Settings')
  const tag = (await ask(manager, tenantCreateTag, { body: { tenant, name: stamp } })).data as { id: string }
  await ask(manager, addTagToDevice, { body: { tenant, deviceId: light.deviceId, tagId: tag.id } })
  const rule = {
    ...{ tagTenant: tenant, tagId: tag.id, delay: 0, delayUnit: 'mins' as const, triggerType: 'DEVICESTATUS' as const },
    ...{
      triggerCondition: 'FailedEquipment',
      notificationType: 'EMAIL' as const,
      notificationTarget: 'lighting@northgate.example',
    },
  }
  expect(await ask(manager, createAlertDefinition, { body: rule })).toMatchObject({ status: 200 })

  // The engineer creates a group with a T180 in the current hour.
  const engineer = await pageOf('lighting@northgate.example')
  await engineer.goto('/northgate/EmergencyLightSchedules')
  await engineer.getByRole('button', { name: 'Add Group' }).click()
  await dialog(engineer).getByLabel('Group Name').fill(stamp)
  await dialog(engineer).getByRole('combobox', { name: 'Building' }).fill(building)
  await dialog(engineer).getByPlaceholder('Name, serial number or room').fill(light.serial)
  await dialog(engineer)
    .getByRole('button', { name: /^Add: / })
    .click()
  await dialog(engineer).getByRole('button', { name: 'Save' }).click()
  // A start in the current hour needs a confirmation.
  const question = engineer.getByRole('dialog', { name: 'Start the 3-hour test now?' })
  await question.getByRole('textbox', { name: 'Reason' }).fill('The building is empty')
  await question.getByRole('checkbox').check()
  await question.getByRole('button', { name: 'Start test on 1 light' }).click()
  await expect(dialog(engineer)).toHaveCount(0)

  // The light's page shows the result and its reason.
  await engineer.goto(`/northgate/EmergencyLights/${light.deviceId}/testResults`)
  const results = engineer.getByRole('table', { name: 'Test results' }).locator('tbody tr')
  await expect(results.filter({ hasText: 'T180' }).filter({ hasText: 'Failed' })).toContainText(
    'Predicted Failed Components: Battery.',
    soon,
  )
  await expect(status(engineer)).toContainText('Failed equipment')

  // There is one e-mail, which links to the light, and an alert under the bell.
  const developer = await pageOf('dev@caretaker.example')
  await developer.goto('/northgate/Mailbox')
  const mails = developer.getByRole('grid', { name: 'Mails' }).locator('tbody tr').filter({ hasText: light.serial })
  await developer.goto(`/northgate/Mailbox?filter=${light.serial}`)
  await expect(mails).toHaveCount(1, soon)
  await expect(mails).toContainText('Failed equipment')
  await mails.click()
  await expect(dialog(developer).getByRole('link').first()).toHaveAttribute('href', new RegExp(light.deviceId))
  await developer.keyboard.press('Escape')
  await manager.goto('/northgate/Alerts')
  // The default rule for all lights raises an alert too.
  const alerts = manager.getByRole('listitem').filter({ hasText: stamp })
  await expect(alerts.filter({ hasText: 'Failed equipment' })).toHaveCount(1)
  await expect(alerts.filter({ hasText: 'Light failed' })).toContainText('Emergency lights')

  // A repair ends the alert.
  await engineer.goto(`/northgate/EmergencyLights/${light.deviceId}/maintenance`)
  const repairs = engineer.getByRole('region', { name: 'Repair forms' })
  await repairs.getByRole('button', { name: 'Repair' }).click()
  const form = engineer.getByRole('dialog', { name: /^Repair / })
  await form.getByLabel('Battery', { exact: true }).check()
  await form.getByLabel('Note').fill('New battery')
  await form.getByLabel('No test now').check()
  await form.getByRole('button', { name: 'Save repair' }).click()
  await expect(toast(engineer, /^Repair recorded\./)).toBeVisible()
  await expect(mails.filter({ hasText: 'Over:' })).toHaveCount(1, soon)
  await expect(mails).toHaveCount(2)
  await manager.goto('/northgate/Alerts')
  await expect(rowOf(manager, stamp).or(manager.getByRole('listitem').filter({ hasText: stamp }))).toHaveCount(0)

  // The unsubscribe link works without sign-in and asks for confirmation. The manager is notified and sees it on the rule.
  await mails.first().click()
  const way = await dialog(developer)
    .getByRole('link', { name: /unsubscribe/ })
    .getAttribute('href')
  const signedOut = await browser.newContext()
  const outside = await signedOut.newPage()
  await outside.goto(way!)
  await outside.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(outside.getByText('lighting@northgate.example has unsubscribed from this rule.')).toBeVisible()
  await signedOut.close()
  await developer.goto(`/northgate/Mailbox?filter=${encodeURIComponent('has unsubscribed')}`)
  await expect(
    developer
      .getByRole('grid', { name: 'Mails' })
      .locator('tbody tr')
      .filter({ hasText: 'manager@northgate.example' })
      .first(),
  ).toContainText('lighting@northgate.example has unsubscribed')
  await manager.goto(`/northgate/Settings?filter=${stamp}`)
  await expect(rowOf(manager, stamp)).toContainText('lighting@northgate.example unsubscribed on')
  await ended()
})
