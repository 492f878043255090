import { readFile } from 'node:fs/promises'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { exportInspectionSheet } from '@caretaker/contract/inspection.ts'
import { choose } from './fixtures/lists.ts'
import { answerOnce } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

test('a light leads to the sheet of its building, which stays open with the reason if it is refused, and is saved as a file', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push('the server responded with a status of 429')
  const page = await pageOf('guest@northgate.example')
  await page.goto(`/northgate/EmergencyLights/${demoDevices.failedT180.deviceId}/testResults`)
  await page.getByRole('button', { name: 'Inspector’s sheet' }).click()
  const dialog = page.getByRole('dialog', { name: 'Inspector’s sheet' })
  await expect(dialog.getByLabel('Building')).toHaveValue('Beech Hill Court')
  await expect(dialog.getByLabel('Responsible person')).toHaveValue('Priya Nair')
  await dialog.getByLabel('Responsible person').fill('Jo Whitfield')
  await expect(dialog).toContainText('These entries appear only in this sheet.')
  const refusal = { isSuccessful: false, message: 'Your last export is still running.', domainErrors: [], data: null }
  await answerOnce(page, `**${exportInspectionSheet.path}`, (route) => route.fulfill({ status: 429, json: refusal }))
  await dialog.getByRole('button', { name: 'Download' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Your last export is still running.')
  const asked = page.waitForRequest(`**${exportInspectionSheet.path}`)
  const coming = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  expect((await asked).postDataJSON()).toMatchObject({
    tenant: 'northgate',
    format: 'pdf',
    responsible: 'Jo Whitfield',
  })
  const file = await coming
  expect(file.suggestedFilename()).toMatch(/-EmergencyLighting-Beech-Hill-Court\.pdf$/)
  expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe('%PDF-')
  await expect(dialog).toHaveCount(0)
})

test('the log book details are stored with the building and used by its page and the Groups page', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  const dialog = page.getByRole('dialog', { name: 'Inspector’s sheet' })
  const battery = dialog.getByLabel('Central battery')
  const download = async () => {
    const coming = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download' }).click()
    expect((await coming).suggestedFilename()).toMatch(/-EmergencyLighting-Beech-Hill-Court\.pdf$/)
    await expect(dialog).toHaveCount(0)
  }
  await page.goto('/northgate/Buildings/beech-hill-court')
  await page.getByRole('button', { name: 'Inspector’s sheet' }).click()
  await expect(dialog.getByLabel('Building')).toHaveValue('Beech Hill Court')
  await expect(dialog.getByLabel('Responsible person')).toHaveValue('Priya Nair')
  await battery.fill('Basement, feeds stair A')
  await download()
  await page.goto('/northgate/EmergencyLightSchedules')
  await page.getByRole('button', { name: 'Inspector’s sheet' }).click()
  await choose(page, 'Buildings', 'Beech Hill Court')
  await expect(battery).toHaveValue('Basement, feeds stair A')
  await battery.fill('')
  await download()
  await page.getByRole('button', { name: 'Inspector’s sheet' }).click()
  await choose(page, 'Buildings', 'Beech Hill Court')
  await expect(dialog.getByLabel('Responsible person')).toHaveValue('Priya Nair')
  await expect(battery).toHaveValue('')
})
