import { useActor } from '../../../api/actor.ts'
import { ListPage } from '../../../lists/list-page.tsx'
import { deviceList } from './device-list.tsx'

const sources = {
  EmergencyLights: deviceList('EmergencyLights'),
  Boilers: deviceList('Boilers'),
  NetworkingDevices: deviceList('NetworkingDevices'),
  ThirdParty: deviceList('ThirdParty'),
  Bcms: deviceList('Bcms'),
  HomeHubs: deviceList('HomeHubs'),
  VStats: deviceList('VStats'),
  MultiDots: deviceList('MultiDots'),
}

export const EmergencyLightsPage = () => <ListPage source={sources.EmergencyLights} />
export const BoilerViewPage = () => <ListPage source={sources.Boilers} />
export const NetworkingDevicesPage = () => <ListPage source={sources.NetworkingDevices} />
export const ThirdPartyPage = () => <ListPage source={sources.ThirdParty} />
export const BcmsPage = () => <ListPage source={sources.Bcms} />
export const HomeHubsPage = () => <ListPage source={sources.HomeHubs} />
export const VStatsPage = () => <ListPage source={sources.VStats} />
export const MultiDotsPage = () => <ListPage source={sources.MultiDots} />

/** Boilers show the grid of Bcms if the client has the newer view, otherwise the old listing. */
export function BoilersPage() {
  const { features } = useActor()
  return features.includes('NewListingView') ? <ListPage source={sources.Bcms} area="Boilers" /> : <BoilerViewPage />
}
