import { afterEach, beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { logError } from '@caretaker/contract/session.ts'
import { allFeatures, firstId } from '../testing/accessible-screens.ts'
import { expectConsoleError } from '../testing/console.ts'
import { loading } from '../testing/device-screen.ts'
import { openPortal } from '../testing/portal.tsx'
import { variedAnswers } from '../testing/varied.ts'

/** One screen of every route of a client. */
const screens = [
  ...['Dashboard', 'EmergencyLights', `EmergencyLights/${firstId}`, 'Boilers', 'Boilers/Listing/boiler-main'],
  ...[`Boilers/${firstId}`, 'NetworkingDevices', `NetworkingDevices/${firstId}`, 'ThirdParty', 'Bcms', 'HomeHubs'],
  ...['VStats', 'MultiDots', 'Users', 'Settings', 'Settings/tags', 'Settings/accessRightsTags', 'Settings/luminaire'],
  ...['Audit', 'ManagedService', 'Mailbox', 'MyAccount', 'BulkActions', 'FloorPlan', 'BuildingMap', 'Support'],
  `EmeredInstall/EM1000001X/${firstId}`,
]

// Every screen sets the title of the tab; only the error page has none to set.
beforeEach(() => {
  const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'title')!
  Object.defineProperty(document, 'title', {
    configurable: true,
    get: () => get!.call(document) as string,
    set(title: string) {
      if (!title.startsWith('Error')) throw new Error(`This screen is broken: ${title}`)
      set!.call(document, title)
    },
  })
})
afterEach(() => {
  delete (document as { title?: string }).title
})

test.each(screens)('a rendering error on %s sends one log call with the error [est-4-64]', async (screen) => {
  const portal = await openPortal(`/northgate/${screen}`, {
    ...{ role: 'Developer', features: allFeatures },
    answers: variedAnswers(),
  })
  expectConsoleError('This screen is broken')
  await expect.element(page.getByRole('heading', { name: 'Woops... something has gone wrong' }), loading).toBeVisible()
  await expect.poll(() => portal.sentTo(logError).length).toBe(1)
  const { tenant, message, stack, componentStack } = portal.sentTo(logError)[0]!.body
  expect(tenant).toBe('northgate')
  expect(message).toContain('This screen is broken')
  expect(stack).toContain('Error')
  expect(componentStack).toContain('at ')
})
