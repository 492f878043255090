import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import { dialog } from './fixtures/actions.ts'
import { findings } from './fixtures/axe.ts'
import { toast } from './fixtures/lists.ts'
import { rows } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const guest = 'guest@northgate.example'
const recordsOf = (reference: string) => `/northgate/Properties/${demoPropertyId(reference)}/propertyRecords`
/** A different picture each time, drawn by the browser. */
async function picture(page: Page, name: string) {
  const drawn = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 40
    canvas.height = 30
    const context = canvas.getContext('2d')!
    for (let x = 0; x < 40; x++) {
      context.fillStyle = `hsl(${Math.random() * 360} 60% 50%)`
      context.fillRect(x, 0, 1, 30)
    }
    return canvas.toDataURL('image/png').split(',')[1]!
  })
  return { name, mimeType: 'image/png', buffer: Buffer.from(drawn, 'base64') }
}

test('photographs of a property are listed in a table, viewed one by one, and saved singly and together [est-1-12] [est-2.3-97] [est-2.3-98] [est-2.3-99] [est-2.3-100] [est-2.3-101] [est-9-25] [dev-8err-36]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push('net::ERR_FAILED')
  const page = await pageOf(guest)
  let broken = 0
  await page.route(/\/documents\/[0-9a-f-]+$/, (route) => (broken++ === 0 ? route.abort() : route.continue()))
  await page.goto(recordsOf(demoHomes.damp))
  const grid = page.getByRole('grid', { name: 'Property Records' })
  await expect(grid.getByRole('columnheader').filter({ hasText: /\w/ })).toHaveText([
    'Document Title',
    'Date and time',
    'Location in property',
    'Uploaded by',
    'Note',
  ])
  await expect(rows(page)).toHaveCount(8)
  await expect(rows(page).first()).toContainText(
    /Mould, outer corner.*\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d.*Bedroom 1.*Tom Ashworth.*Reading behind/,
  )
  const sizes = page.getByRole('combobox', { name: 'Rows per page' })
  await expect(sizes).toHaveValue('25')
  await expect(sizes.locator('option')).toHaveText(['25', '50', '100'])
  // A read-only user cannot add or delete photographs.
  await expect(page.getByRole('button', { name: 'Add photographs' })).toHaveCount(0)

  await rows(page).first().getByText('Mould, outer corner').click()
  const viewer = page.getByRole('dialog')
  await expect(viewer.getByText('Failed to load image')).toBeVisible()
  await viewer.getByRole('button', { name: 'Try again' }).click()
  const shown = (title: string) => viewer.getByRole('img', { name: title })
  await expect(shown('Mould, outer corner')).toHaveJSProperty('naturalWidth', 480)
  await expect(viewer.getByRole('button', { name: 'Delete' })).toHaveCount(0)
  await expect(viewer.getByRole('button', { name: 'Previous photograph' })).toHaveCount(0)
  await page.keyboard.press('ArrowRight')
  await expect(shown('Window seal, left')).toBeVisible()
  await expect(viewer.getByText('2 of 8')).toBeVisible()
  await viewer.getByRole('button', { name: 'Next photograph' }).click()
  await expect(shown('Extractor fan')).toBeVisible()
  await expect(page).toHaveURL(/photo=/)
  expect(await findings(page)).toEqual([])
  const [one] = await Promise.all([
    page.waitForEvent('download'),
    viewer.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(one.suggestedFilename()).toBe('Extractor fan.png')
  expect((await readFile(await one.path())).subarray(1, 4).toString()).toBe('PNG')
  await viewer.getByRole('button', { name: 'Close' }).last().click()
  await expect(viewer).toHaveCount(0)

  for (const at of [0, 2]) await rows(page).nth(at).getByRole('checkbox').check()
  const [both] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download 2' }).click(),
  ])
  expect(both.suggestedFilename()).toBe(`${demoHomes.damp} photographs.zip`)
  const packed = await readFile(await both.path())
  for (const name of ['Mould, outer corner.png', 'Extractor fan.png', 'list.txt'])
    expect(packed.includes(name)).toBe(true)

  await page.setViewportSize({ width: 390, height: 844 })
  await rows(page).first().getByText('Mould, outer corner').click()
  await expect(shown('Mould, outer corner')).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

test('several photographs are added at once, other files are rejected with a message, and a manager deletes the photographs', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(415))
  const page = await pageOf(manager)
  // The note is unique to this attempt, because a retried test finds the rows of the first attempt.
  const note = `After the storm ${Date.now()}`
  await page.goto(recordsOf(demoHomes.lively))
  await expect(page.getByText('No data available').or(rows(page).first())).toBeVisible()
  await page
    .getByLabel('Photographs')
    .setInputFiles([
      await picture(page, 'IMG_2041.png'),
      await picture(page, 'boiler_flue.png'),
      { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no photograph') },
    ])
  const adding = dialog(page, 'Add 3 photographs')
  const add = adding.getByRole('button', { name: 'Add', exact: true })
  // A file name from a camera is not used as a title.
  await expect(adding.getByLabel('Document Title').nth(1)).toHaveValue('boiler flue')
  await expect(add).toBeDisabled()
  await adding.getByLabel('Document Title').first().fill('Flue outside')
  await adding.getByLabel('Location in property').fill('Kitchen')
  await adding.getByLabel('Note').fill(note)
  await add.click()
  await expect(toast(page, '2 photographs added successfully!')).toBeVisible()
  await expect(adding.getByText('The file must be one of jpg, png, webp.')).toBeVisible()
  const close = adding.getByRole('button', { name: 'Close' }).last()
  await expect(close).toBeEnabled()
  expect(await findings(page)).toEqual([])
  await close.click()
  // The dialog asks first, because text typed for the rejected file would be lost.
  await page
    .getByRole('dialog', { name: 'Discard what you have typed?' })
    .getByRole('button', { name: 'Discard' })
    .click()

  const added = rows(page).filter({ hasText: note })
  for (const title of ['Flue outside', 'boiler flue']) {
    await added.filter({ hasText: title }).first().getByText(title).click()
    const viewer = page.getByRole('dialog')
    await expect(viewer.getByRole('img', { name: title })).toHaveJSProperty('naturalWidth', 40)
    await viewer.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete photograph?' }).getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(added.filter({ hasText: title })).toHaveCount(0)
  }
})
