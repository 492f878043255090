import { expect, test } from 'vitest'
import type { Locator } from 'vitest/browser'
import { page } from 'vitest/browser'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getEmered, getNetworkingDevice } from '@caretaker/contract/devices.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import { features } from '@caretaker/rules/identity/features.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { PagePath } from '@caretaker/rules/links/addresses.ts'
import { queryClient } from '../api/query-client.ts'
import { colourRules, findViolations } from './axe.ts'
import { expectConsoleError } from './console.ts'
import type { ServerAnswer } from './network.ts'
import { answer } from './network.ts'
import { emulateScheme, openPortal } from './portal.tsx'
import { variedAnswers, variedExampleOf } from './varied.ts'

export interface Screen {
  name: string
  /** The route of the screen; undefined for a screen outside of a client. */
  path?: PagePath
  /** The address, if it differs from the path with the first example ids. */
  address?: string
  role?: Role
  answers?: ServerAnswer[]
  signedOut?: boolean
  session?: NonNullable<Parameters<typeof openPortal>[1]>['session']
  /** Navigates from the address to the screen, if necessary. */
  open?(): Promise<unknown>
  /** An element of this screen. */
  shows(): Locator
}

/** The first id in generated answers, used in addresses. */
export const firstId = '0d8a6c1e-3f5b-4c2d-9e7a-000000000001'

export const main: Locator = page.getByRole('main')
export const dialog = (name: string | RegExp): Locator => page.getByRole('dialog', { name })
export const grid = (name: string): Locator => main.getByRole('grid', { name })
export const anyGrid = (): Locator => main.getByRole('grid').first()
export const region = (name: string | RegExp): Locator => page.getByRole('region', { name }).first()
export const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).first().click()
export const firstRow = (): Locator => page.getByCss('tbody tr[data-row]').first()

const desktop = { width: 1440, height: 960 }
export const narrow = { width: 320, height: 640 }
export const allFeatures: Feature[] = features.filter(
  (feature) => !feature.startsWith('Hide') && feature !== 'NewListingView',
)

const addressOf = ({ path, address }: Screen) =>
  address ??
  path!
    .replace('$tenant', 'northgate')
    .replaceAll(/\/\{-\$\w+\}/g, '')
    .replaceAll(/\$\w+/g, firstId)

/** Waits until the screen is complete and idle. */
async function waitUntilIdle({ shows }: Screen): Promise<void> {
  await expect.element(shows(), { timeout: 15_000 }).toBeVisible()
  await expect.poll(() => queryClient.isFetching()).toBe(0)
  await expect.poll(() => /^Loading/m.test(document.body.innerText)).toBe(false)
}

/**
 * Violations in an open dialog (the page below is tested separately), otherwise on the page. Table rows are similar, so
 * they are sampled.
 */
export function violations(rules?: string[]): Promise<string[]> {
  const part = document.querySelector('[role="dialog"]') ?? document.body
  return findViolations({ ...(rules && { rules }), part, exclude: 'tbody tr:nth-child(n+6)' })
}

/** Elements wider than the window, which would require sideways scrolling. */
export function tooWide(): string[] {
  const root = document.documentElement
  if (root.scrollWidth <= root.clientWidth) return []
  const wide = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > root.clientWidth + 0.5,
  )
  return [`${root.scrollWidth} px`, ...wide.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))]
}

export async function turn(scheme: 'light' | 'dark'): Promise<void> {
  await emulateScheme(scheme)
  await expect.poll(() => document.documentElement.dataset['mantineColorScheme']).toBe(scheme)
  // The browser applies a changed colour preference in its next frames.
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
}

/** Creates a test per screen, with generated answers that show as much as possible. */
export function testScreens(screens: readonly Screen[]): void {
  for (const screen of screens)
    test(`${screen.name}: accessible in light, in dark and at 320 px, where it fits`, { timeout: 60_000 }, async () => {
      const { role = 'Developer', answers = [], signedOut, session, open } = screen
      await openPortal(addressOf(screen), {
        ...{ role, features: allFeatures, viewport: desktop },
        ...(signedOut && { signedOut }),
        ...(session && { session }),
        answers: [...variedAnswers(), ...answers],
      })
      // Generated rows repeat values that are unique in reality.
      expectConsoleError('two children with the same key')
      await open?.()
      await waitUntilIdle(screen)
      expect.soft(await violations(), 'light').toEqual([])
      await turn('dark')
      expect.soft(await violations(colourRules), 'dark').toEqual([])
      await page.viewport(narrow.width, narrow.height)
      await waitUntilIdle(screen)
      await expect.poll(tooWide, { message: 'at 320 px' }).toEqual([])
      expect.soft(await violations(), 'at 320 px, dark').toEqual([])
      await turn('light')
      expect.soft(await violations(colourRules), 'at 320 px, light').toEqual([])
    })
}

/** Devices in use, each in a state with rarely shown parts. */
export const inUse: ServerAnswer[] = [
  answer(getEmered, { ...variedExampleOf(getEmered), uninstalledAt: null, deviceStatus: 'FailedEquipment' }),
  answer(getBoiler, { ...variedExampleOf(getBoiler), uninstalledAt: null, deviceStatus: 'FailedDevice' }),
  answer(getNetworkingDevice, { ...variedExampleOf(getNetworkingDevice), uninstalledAt: null }),
]

/** The tabs of a page, each with an element that it shows. */
export const tabsOf = (path: PagePath, names: Record<string, () => Locator>, more: Partial<Screen> = {}): Screen[] =>
  Object.entries(names).map(([tab, shows]) => ({
    name: `${path.split('/')[2]}, ${tab}`,
    path,
    address: `${path.split('/$')[1]!.replace('tenant', '/northgate')}/${firstId}/${tab}`,
    shows,
    ...more,
  }))
