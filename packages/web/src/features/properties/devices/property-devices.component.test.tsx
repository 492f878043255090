import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { cutTexts } from '../../../testing/boxes.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { aHome, aHomeDevice, homePages } from '../../../testing/examples/homes.ts'
import { openPortal } from '../../../testing/portal.tsx'

test('the devices of a property have icons, and no text is cut off', async () => {
  const home = aHome()
  const meter = aHomeDevice({ deviceId: idOf(52), product: 'PM', deviceType: 'Power meter' })
  const sensor = aHomeDevice({
    ...{ deviceId: idOf(53), product: 'MD', deviceType: 'Multi-dot', eui64: '00124B0023A1B2C3', location: 'Bedroom 1' },
    ...{ locationDetails: 'Behind the wardrobe, north wall', connectionStatus: 'NotConnected' },
  })
  await openPortal(`/northgate/Properties/${home.propertyId}/devices`, {
    features: ['PropertyCentric'],
    answers: homePages(home, [aHomeDevice(), meter, sensor]),
  })
  const grid = page.getByRole('grid', { name: 'Devices' })
  await expect.element(grid.getByText('Behind the wardrobe, north wall')).toBeVisible()
  expect(cutTexts(grid.element())).toEqual([])
  const { scrollWidth, clientWidth } = grid.element().parentElement!
  expect(scrollWidth).toBe(clientWidth)
  const icons = page.getByCss('tbody tr[data-row] td:first-of-type svg').elements()
  expect(new Set(icons.map((icon) => icon.innerHTML)).size).toBe(3)
})
