import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { FloorPlanPreview } from '@caretaker/contract/buildings.ts'
import { getBuilding, previewFloorPlan, uploadFloorPlan } from '@caretaker/contract/buildings.ts'
import { expectNoViolations } from '../../testing/axe.ts'
import { boxOf } from '../../testing/boxes.ts'
import { dialog } from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, exampleOf, refuse } from '../../testing/network.ts'
import { expectTexts } from '../../testing/expect.ts'
import { openPortal } from '../../testing/portal.tsx'
import { button } from '../../testing/screen.ts'
import { variedExampleOf } from '../../testing/varied.ts'

const building = variedExampleOf(getBuilding)
const [floor] = building.floors
const drawing = (inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><rect width="400" height="300" fill="#dfefff"/>${inner}</svg>`
const svgFile = (name = 'level 1.svg') => new File([drawing('')], name, { type: 'image/svg+xml' })
const clean: FloorPlanPreview = {
  ...{ source: 'drawing', pages: 1, drawing: drawing(''), leftOut: [], fault: null, shape: null },
}
const partly: FloorPlanPreview = {
  ...clean,
  leftOut: [
    { kind: 'linked picture', count: 2, examples: ['north.png', 'logo.png'] },
    { kind: 'text box', count: 1, examples: [] },
  ],
}
const input = page.getByLabelText(`Floor plan of ${floor!.name}`, { exact: true })

function openBuilding(answers: ServerAnswer[], options: Parameters<typeof openPortal>[1] = {}) {
  return openPortal(`/northgate/Buildings/${building.building}`, {
    ...options,
    answers: [answer(getBuilding, building), answer(uploadFloorPlan, exampleOf(uploadFloorPlan)), ...answers],
  })
}

async function expectDrawn(name: string): Promise<void> {
  const picture = dialog.getByRole('img', { name })
  await expect.element(picture).toBeVisible()
  await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBeGreaterThan(0)
}

test('removed content is listed beside the original and the preview before anything is stored', async () => {
  const portal = await openBuilding([answer(previewFloorPlan, partly)])
  await input.upload(svgFile())
  for (const name of ['Original', 'Preview']) await expectDrawn(name)
  const list = dialog.getByRole('region', { name: 'Left out' }).getByRole('listitem')
  await expectTexts(list, [
    /^2 linked pictures \(north\.png, logo\.png\) A linked picture/,
    /^1 HTML text box Export text/,
  ])
  expect(portal.sentTo(uploadFloorPlan)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(portal.sentTo(uploadFloorPlan)).toEqual([])
  await input.upload(svgFile())
  await dialog.getByRole('button', { name: 'Save plan' }).click()
  await expect.poll(() => portal.sentTo(uploadFloorPlan).length).toBe(1)
  await expect.element(button(/^Complete/)).toBeVisible()
})

test('a drawing without removed content is stored at once, and a rejected one shows the reason', async () => {
  const portal = await openBuilding([answer(previewFloorPlan, clean)])
  await input.upload(svgFile())
  await expect.element(button(/^Complete/)).toBeVisible()
  expect(portal.sentTo(uploadFloorPlan).length).toBe(1)
  portal.use(
    refuse(previewFloorPlan, 'unsupported', { message: 'The PDF needs a password. Save it without a password.' }),
  )
  await input.upload(new File(['%PDF-'], 'locked.pdf'))
  await expectTexts(page.getByRole('alert'), [/The PDF needs a password/])
  await expect.element(dialog).not.toBeInTheDocument()
  expect(portal.sentTo(uploadFloorPlan).length).toBe(1)
})

test('the page of a PDF is chosen before it is stored', async () => {
  const fault = 'The page is blank. Choose another page.'
  const portal = await openBuilding([
    answer(previewFloorPlan, ({ form }) => ({
      ...clean,
      ...{ source: 'pdf' as const, pages: 3 },
      ...(Number(form.page) === 1 && { drawing: null, fault }),
    })),
  ])
  await input.upload(new File(['%PDF-'], 'plans.pdf', { type: 'application/pdf' }))
  await expect.element(dialog.getByText(fault)).toBeVisible()
  await expect.element(dialog.getByRole('button', { name: 'Save plan' })).toBeDisabled()
  await dialog.getByRole('combobox', { name: 'Page' }).click()
  await page.getByRole('option', { name: '2' }).click()
  await expectDrawn('Preview')
  await expect.element(dialog.getByText(fault)).not.toBeInTheDocument()
  await dialog.getByRole('button', { name: 'Save plan' }).click()
  await expect.poll(() => portal.sentTo(uploadFloorPlan).map(({ form }) => Number(form.page))).toEqual([2])
})

test('a compressed drawing is shown as the original too', async () => {
  const packed = new Response(svgFile().stream().pipeThrough(new CompressionStream('gzip')))
  await openBuilding([answer(previewFloorPlan, partly)])
  await input.upload(new File([await packed.arrayBuffer()], 'level 1.svgz'))
  await expectDrawn('Original')
})

test('files of each kind can be chosen', async () => {
  await openBuilding([])
  for (const chosen of [input, page.getByLabelText('Floor plans', { exact: true })])
    await expect.poll(() => chosen.element().getAttribute('accept')).toBe('.svg,.svgz,.pdf,.png,.jpg,.jpeg,.webp')
})

describe.each([
  ['light', 1280, 900],
  ['dark', 1280, 900],
  ['light', 390, 844],
  ['dark', 390, 844],
] as const)('in %s, %i pixels wide', (colourScheme, width, height) => {
  test('the dialog is complete and accessible', async () => {
    const shape = 'The new plan has a different shape (1.33 : 1) than the floor (2.00 : 1).'
    await openBuilding([answer(previewFloorPlan, { ...partly, shape })], {
      ...{ viewport: { width, height }, colourScheme },
    })
    await input.upload(svgFile())
    await expectDrawn('Original')
    await expectDrawn('Preview')
    const box = (name: string) => boxOf(dialog.getByRole('img', { name }))
    // Side by side if there is room, otherwise stacked.
    const gap = () => {
      const [original, stored] = [box('Original'), box('Preview')]
      return width > 600 ? stored.left - original.right : stored.top - original.bottom
    }
    await expect.poll(gap).toBeGreaterThanOrEqual(0)
    for (const { left, right } of [box('Original'), box('Preview')]) {
      expect(left).toBeGreaterThanOrEqual(0)
      expect(right).toBeLessThanOrEqual(width)
    }
    await expectNoViolations(dialog.element())
  })
})
