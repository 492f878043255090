import { validRegisterSearch } from './features/reports/register-search.ts'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  redirect,
  useLocation,
} from '@tanstack/react-router'
import type { PagePath } from '@caretaker/rules/links/addresses.ts'
import { segmentsOf, tenantInPath } from '@caretaker/rules/links/places.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { useActor } from './api/actor.ts'
import { validDeviceSearch } from './device-page/search.ts'
import { validAlertsSearch } from './features/alerts/alerts-place.ts'
import { validFloorSearch } from './plans/floor-place.ts'
import { validMessageSearch } from './features/connections/messages/message-place.ts'
import { validAuditSearch } from './features/audit/audit-place.ts'
import { validMapSearch } from './features/maps/map-place.ts'
import { validPlanSearch } from './features/test-schedules/plan-place.ts'
import { validListSearch } from './lists/list-place.ts'
import { ErrorScreen, reportRouteError } from './shell/error-screen.tsx'
import { Gate } from './shell/gate.tsx'
import { NotFoundScreen, TenantScreens } from './shell/screens.tsx'
import { validTableSearch } from './ui/table-place.ts'

const root = createRootRoute({ component: Gate })

const tenant = createRoute({ getParentRoute: () => root, path: '$tenant', component: TenantScreens })

const tenantRoot = createRoute({
  getParentRoute: () => tenant,
  path: '/',
  component: function ToDashboard() {
    const { tenant } = useActor()
    // A path without a client looks the same to the router, and stays matched until the next screen is loaded.
    const isHere = useLocation({ select: ({ pathname }) => tenantInPath(pathname, [tenant]) && isBare(pathname) })
    if (!isHere) return undefined
    return <Navigate to="/$tenant/Dashboard" params={{ tenant }} replace />
  },
})

const isBare = (pathname: string) => segmentsOf(pathname).length === 1

const dashboard = createRoute({
  getParentRoute: () => tenant,
  path: 'Dashboard',
  component: lazyRouteComponent(() => import('./features/dashboard/dashboard-page.tsx'), 'DashboardPage'),
})

/** The list page of a device type, for authorised users. */
const listing = <const Path extends string>(
  path: Path,
  name: ListingName,
  page: keyof typeof import('./features/devices/list/listing-pages.tsx'),
) =>
  createRoute({
    getParentRoute: () => tenant,
    path,
    staticData: { may: listings[name].may },
    validateSearch: validListSearch,
    component: lazyRouteComponent(() => import('./features/devices/list/listing-pages.tsx'), page),
  })

const emergencyLight = createRoute({
  getParentRoute: () => tenant,
  path: 'EmergencyLights/$deviceId/{-$tab}',
  staticData: { may: 'see lighting' },
  component: lazyRouteComponent(() => import('./features/lighting/emergency-light-page.tsx'), 'EmergencyLightPage'),
})
const partsList = createRoute({
  getParentRoute: () => tenant,
  path: 'EmergencyLights/Parts',
  staticData: { may: 'see lighting' },
  validateSearch: validListSearch,
  component: lazyRouteComponent(() => import('./features/devices/parts/parts-page.tsx'), 'PartsPage'),
})
/** All test results, as a separate page and as a tab of the test schedules. */
const testResultsAt = <const Path extends string>(path: Path, page: 'AllTestsPage' | 'ResultsTabPage') =>
  createRoute({
    getParentRoute: () => tenant,
    path,
    staticData: { may: 'see lighting' },
    // The page validates it further.
    validateSearch: (search: Record<string, unknown>) => ({
      ...validTableSearch(search),
      ...Object.fromEntries(
        ['building', 'group', 'type', 'result', 'corrected', 'from', 'to', 'view', 'year'].flatMap((name) =>
          search[name] ? [[name, search[name]]] : [],
        ),
      ),
    }),
    component: lazyRouteComponent(() => import('./features/lighting/all-tests-page.tsx'), page),
  })
const boiler = createRoute({
  getParentRoute: () => tenant,
  path: 'Boilers/$deviceId/{-$tab}',
  staticData: { may: 'see boilers' },
  validateSearch: validDeviceSearch,
  component: lazyRouteComponent(() => import('./features/boilers/boiler-page.tsx'), 'BoilerPage'),
})
const networkingDevice = createRoute({
  getParentRoute: () => tenant,
  path: 'NetworkingDevices/$deviceId/{-$tab}',
  staticData: { may: 'see networking' },
  component: lazyRouteComponent(
    () => import('./features/networking/networking-device-page.tsx'),
    'NetworkingDevicePage',
  ),
})

const thirdPartyDevice = createRoute({
  getParentRoute: () => tenant,
  path: 'ThirdParty/$deviceId/{-$tab}',
  staticData: { may: 'see third party' },
  // The messages validate it further.
  validateSearch: (search): object => ({ ...validDeviceSearch(search), ...validMessageSearch(search) }),
  component: lazyRouteComponent(
    () => import('./features/connections/device/third-party-page.tsx'),
    'ThirdPartyDevicePage',
  ),
})

const propertiesAt = <const Path extends string>(path: Path) =>
  createRoute({
    getParentRoute: () => tenant,
    path,
    staticData: { may: 'see properties' },
    validateSearch: validListSearch,
    component: lazyRouteComponent(() => import('./features/properties/list/properties-page.tsx'), 'PropertiesPage'),
  })
const property = createRoute({
  getParentRoute: () => tenant,
  path: 'Properties/$propertyId/{-$tab}',
  staticData: { may: 'see properties' },
  component: lazyRouteComponent(() => import('./features/properties/property-page.tsx'), 'PropertyPage'),
})
const importHomes = createRoute({
  getParentRoute: () => tenant,
  path: 'Properties/Import/{-$importId}',
  staticData: { may: 'import homes' },
  component: lazyRouteComponent(() => import('./features/imports/imports-page.tsx'), 'ImportsPage'),
})
const addHome = createRoute({
  getParentRoute: () => tenant,
  path: 'Properties/Add',
  staticData: { may: 'add property' },
  component: lazyRouteComponent(() => import('./features/properties/estate/add-home-page.tsx'), 'AddHomePage'),
})
const archivedHomes = createRoute({
  getParentRoute: () => tenant,
  path: 'Properties/Archived',
  staticData: { may: 'manage properties' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(() => import('./features/properties/estate/archived-page.tsx'), 'ArchivedPage'),
})
const buildings = createRoute({
  getParentRoute: () => tenant,
  path: 'Buildings',
  staticData: { may: 'see buildings' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(() => import('./features/buildings/buildings-page.tsx'), 'BuildingsPage'),
})
const addBuilding = createRoute({
  getParentRoute: () => tenant,
  path: 'Buildings/Add',
  staticData: { may: 'edit buildings' },
  component: lazyRouteComponent(() => import('./features/buildings/add-building-page.tsx'), 'AddBuildingPage'),
})
const building = createRoute({
  getParentRoute: () => tenant,
  path: 'Buildings/$building',
  staticData: { may: 'see buildings' },
  component: lazyRouteComponent(() => import('./features/buildings/building-page.tsx'), 'BuildingPage'),
})

const testSchedules = () => import('./features/test-schedules/test-schedules-page.tsx')
const groups = createRoute({
  getParentRoute: () => tenant,
  path: 'EmergencyLightSchedules',
  staticData: { may: 'see test schedules' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(testSchedules, 'GroupsPage'),
})
const plan = createRoute({
  getParentRoute: () => tenant,
  path: 'EmergencyLightSchedules/Plan',
  staticData: { may: 'see test schedules' },
  validateSearch: validPlanSearch,
  component: lazyRouteComponent(testSchedules, 'PlanPage'),
})

const users = createRoute({
  getParentRoute: () => tenant,
  path: 'Users',
  staticData: { may: 'administer users' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(() => import('./features/people/users-page.tsx'), 'UsersPage'),
})

const alerts = createRoute({
  getParentRoute: () => tenant,
  path: 'Alerts',
  validateSearch: validAlertsSearch,
  component: lazyRouteComponent(() => import('./features/alerts/alerts-page.tsx'), 'AlertsPage'),
})

const settingsPages = () => import('./features/settings/settings-page.tsx')
const settings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings',
  staticData: { may: 'see settings' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(settingsPages, 'SettingsPage'),
})
const tagSettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/tags',
  staticData: { may: 'see settings' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(settingsPages, 'TagsPage'),
})
const accessRightsTagSettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/accessRightsTags',
  staticData: { may: 'see settings' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(settingsPages, 'AccessRightsTagsPage'),
})
const luminaireSettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/luminaire',
  staticData: { may: 'see standard luminaires' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(settingsPages, 'StandardLuminairesPage'),
})
const residentSettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/residents',
  staticData: { may: 'see settings' },
  validateSearch: (search) => ({ ...validTableSearch(search), ...(search.access ? { access: search.access } : {}) }),
  component: lazyRouteComponent(settingsPages, 'ResidentAppPage'),
})
const apiKeySettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/apiKeys',
  staticData: { may: 'manage api keys' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(settingsPages, 'ApiKeysPage'),
})
const webhookSettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/webhooks',
  staticData: { may: 'manage webhooks' },
  validateSearch: (search) => ({ ...validTableSearch(search), ...(search.webhook ? { webhook: search.webhook } : {}) }),
  component: lazyRouteComponent(settingsPages, 'WebhooksPage'),
})
const connectionPages = () => import('./features/connections/connections-pages.tsx')
const connectionSettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/connections',
  staticData: { may: 'see connections' },
  validateSearch: (search) => ({
    ...validTableSearch(search),
    ...(search.connection ? { connection: search.connection } : {}),
  }),
  component: lazyRouteComponent(connectionPages, 'ConnectionsPage'),
})
const newSensors = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/connections/newSensors',
  staticData: { may: 'see connections' },
  validateSearch: (search) => ({ ...validTableSearch(search), ...(search.ignored ? { ignored: true } : {}) }),
  component: lazyRouteComponent(connectionPages, 'NewSensorsPage'),
})
const sensorModels = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/connections/models',
  staticData: { may: 'see connections' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(connectionPages, 'SensorModelsPage'),
})
const sensorModel = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/connections/models/$modelId/{-$tab}',
  staticData: { may: 'see connections' },
  component: lazyRouteComponent(() => import('./features/connections/model/model-page.tsx'), 'SensorModelPage'),
})
const connectionMessages = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/connections/messages/$connectionId',
  staticData: { may: 'see connections' },
  // The page validates it further: other pages have parameters of the same names.
  validateSearch: (search): object => validMessageSearch(search),
  component: lazyRouteComponent(
    () => import('./features/connections/messages/connection-messages-page.tsx'),
    'ConnectionMessagesPage',
  ),
})
const signInSettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/signIn',
  staticData: { may: 'manage sign-in policy' },
  component: lazyRouteComponent(settingsPages, 'SignInPolicyPage'),
})
const awaabsLawSettings = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/awaabsLaw',
  staticData: { may: "manage Awaab's Law" },
  component: lazyRouteComponent(settingsPages, 'AwaabsLawPage'),
})

const tenants = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/Tenants',
  staticData: { may: 'see tenants' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(() => import('./features/tenants/tenants-page.tsx'), 'TenantsPage'),
})
const addTenant = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/Tenants/Add',
  staticData: { may: 'see tenants' },
  component: lazyRouteComponent(() => import('./features/tenants/tenant-page.tsx'), 'AddTenantPage'),
})
const editTenant = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/Tenants/$tenantId',
  staticData: { may: 'see tenants' },
  component: lazyRouteComponent(() => import('./features/tenants/tenant-page.tsx'), 'EditTenantPage'),
})
const system = createRoute({
  getParentRoute: () => tenant,
  path: 'Settings/System',
  staticData: { may: 'see system' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(() => import('./features/system/system-page.tsx'), 'SystemPage'),
})
const audit = createRoute({
  getParentRoute: () => tenant,
  path: 'Audit',
  staticData: { may: 'see audit' },
  validateSearch: validAuditSearch,
  component: lazyRouteComponent(() => import('./features/audit/audit-page.tsx'), 'AuditPage'),
})
const managedService = createRoute({
  getParentRoute: () => tenant,
  path: 'ManagedService',
  staticData: { may: 'see managed service' },
  validateSearch: (search) => ({ ...validTableSearch(search), ...(search.type ? { type: search.type } : {}) }),
  component: lazyRouteComponent(
    () => import('./features/managed-service/managed-service-page.tsx'),
    'ManagedServicePage',
  ),
})
const reportPages = () => import('./features/reports/reports-page.tsx')
const reporting = createRoute({
  getParentRoute: () => tenant,
  path: 'Reporting',
  staticData: { may: 'see reports' },
  validateSearch: (search: Record<string, unknown>) => (typeof search.run === 'string' ? { run: search.run } : {}),
  component: lazyRouteComponent(reportPages, 'ReportsPage'),
})
const breachRegister = createRoute({
  getParentRoute: () => tenant,
  path: 'Reporting/breachRegister',
  staticData: { may: 'see breach register' },
  validateSearch: validRegisterSearch,
  component: lazyRouteComponent(reportPages, 'BreachRegisterPage'),
})
const myReports = createRoute({
  getParentRoute: () => tenant,
  path: 'Reporting/myReports',
  staticData: { may: 'see report history' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(reportPages, 'MyReportsPage'),
})
const mySchedules = createRoute({
  getParentRoute: () => tenant,
  path: 'Reporting/mySchedules',
  staticData: { may: 'schedule reports' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(reportPages, 'MySchedulesPage'),
})
const mailbox = createRoute({
  getParentRoute: () => tenant,
  path: 'Mailbox',
  staticData: { may: 'see mailbox' },
  validateSearch: validTableSearch,
  component: lazyRouteComponent(() => import('./features/mailbox/mailbox-page.tsx'), 'MailboxPage'),
})
const account = createRoute({
  getParentRoute: () => tenant,
  path: 'MyAccount',
  component: lazyRouteComponent(() => import('./shell/account-page.tsx'), 'AccountPage'),
})
const bulkActions = createRoute({
  getParentRoute: () => tenant,
  path: 'BulkActions',
  component: lazyRouteComponent(() => import('./actions/bulk-actions-page.tsx'), 'BulkActionsPage'),
})
const floorPlan = createRoute({
  getParentRoute: () => tenant,
  path: 'FloorPlan',
  staticData: { may: 'see maps' },
  validateSearch: validMapSearch,
  component: lazyRouteComponent(() => import('./features/maps/map-pages.tsx'), 'FloorPlanPage'),
})
const buildingMap = createRoute({
  getParentRoute: () => tenant,
  path: 'BuildingMap',
  staticData: { may: 'see buildings' },
  validateSearch: validMapSearch,
  component: lazyRouteComponent(() => import('./features/maps/map-pages.tsx'), 'BuildingMapPage'),
})
const positionFloor = createRoute({
  getParentRoute: () => tenant,
  path: 'PositionFloor',
  staticData: { may: 'see maps' },
  validateSearch: validFloorSearch,
  component: lazyRouteComponent(() => import('./features/position-floor/position-floor-page.tsx'), 'PositionFloorPage'),
})
const placeDevices = createRoute({
  getParentRoute: () => tenant,
  path: 'FloorPlan/Place',
  staticData: { may: 'see maps' },
  validateSearch: validFloorSearch,
  component: lazyRouteComponent(() => import('./features/place-devices/place-devices-page.tsx'), 'PlaceDevicesPage'),
})
const support = createRoute({
  getParentRoute: () => tenant,
  path: 'Support',
  component: lazyRouteComponent(() => import('./features/support/support-page.tsx'), 'SupportPage'),
})

/** A redirect to an existing screen, keeping the rest of the address. */
const redirectRoute = <const Path extends string>(path: Path, to: string) =>
  createRoute({
    getParentRoute: () => tenant,
    path,
    beforeLoad: ({ params }) => {
      throw redirect({ to, params, search: true, replace: true } as never)
    },
  })
const connectedDevice = createRoute({
  getParentRoute: () => tenant,
  path: 'BoilerConnectedDevice/$deviceId',
  staticData: { may: 'see boilers' },
  component: lazyRouteComponent(
    () => import('./features/boilers/connected-device-page.tsx'),
    'BoilerConnectedDevicePage',
  ),
})
/** Names of screens used by the mobile app and older links. */
const otherNames = [
  redirectRoute('Floor', '/$tenant/FloorPlan'),
  redirectRoute('EmeredDetails', '/$tenant/EmergencyLights'),
  redirectRoute('EmeredDetails/$deviceId', '/$tenant/EmergencyLights/$deviceId'),
  redirectRoute('BcmDetails', '/$tenant/Boilers'),
  redirectRoute('BcmDetails/$deviceId', '/$tenant/Boilers/$deviceId'),
  redirectRoute('NetworkDetails', '/$tenant/NetworkingDevices'),
  redirectRoute('NetworkDetails/$deviceId', '/$tenant/NetworkingDevices/$deviceId'),
  redirectRoute('BoilerConnectedDevice', '/$tenant/Boilers'),
  redirectRoute('EmeredInstall', '/$tenant/EmergencyLights'),
  redirectRoute('BcmInstall', '/$tenant/Boilers'),
  redirectRoute('NetworkInstall', '/$tenant/NetworkingDevices'),
  redirectRoute('MoveFromWholesale', '/$tenant/Dashboard'),
  redirectRoute('ConnectedDeviceInstall', '/$tenant/Dashboard'),
]

const handovers = () => import('./features/links/handover-page.tsx')
const handover = createRoute({
  getParentRoute: () => tenant,
  id: 'handover',
  staticData: { may: 'install devices' },
})
const moveFromWholesale = createRoute({
  getParentRoute: () => handover,
  path: 'MoveFromWholesale/$serialNumber',
  component: lazyRouteComponent(handovers, 'MoveFromWholesalePage'),
})
const emeredInstall = createRoute({
  getParentRoute: () => handover,
  path: 'EmeredInstall/$serialNumber/$deviceId',
  staticData: { may: 'see lighting' },
  component: lazyRouteComponent(handovers, 'EmeredInstallPage'),
})
const bcmInstall = createRoute({
  getParentRoute: () => handover,
  path: 'BcmInstall/$serialNumber/$deviceId',
  staticData: { may: 'see boilers' },
  component: lazyRouteComponent(handovers, 'BcmInstallPage'),
})
const networkInstall = createRoute({
  getParentRoute: () => handover,
  path: 'NetworkInstall/$serialNumber/$deviceId',
  staticData: { may: 'see networking' },
  component: lazyRouteComponent(handovers, 'NetworkInstallPage'),
})
const connectedDeviceInstall = createRoute({
  getParentRoute: () => handover,
  path: 'ConnectedDeviceInstall/$deviceKind/$bcmOrGatewayId/$serialNumber/$deviceId',
  component: lazyRouteComponent(handovers, 'ConnectedDeviceInstallPage'),
})
const error = createRoute({ getParentRoute: () => tenant, path: 'Error', component: ErrorScreen })

const isListing = (segments: string[]) => segments.length === 2 || segments[2] === 'Listing'

const routeTree = root.addChildren([
  tenant.addChildren([
    tenantRoot,
    dashboard,
    listing('EmergencyLights', 'EmergencyLights', 'EmergencyLightsPage'),
    redirectRoute('EmergencyLights/Listing', '/$tenant/EmergencyLights'),
    listing('EmergencyLights/Listing/$viewId', 'EmergencyLights', 'EmergencyLightsPage'),
    partsList,
    emergencyLight,
    testResultsAt('EmergencyTestResults', 'AllTestsPage'),
    testResultsAt('EmergencyLightSchedules/Results', 'ResultsTabPage'),
    listing('Boilers', 'Boilers', 'BoilersPage'),
    redirectRoute('Boilers/Listing', '/$tenant/Boilers'),
    listing('Boilers/Listing/$viewId', 'Boilers', 'BoilerViewPage'),
    boiler,
    listing('NetworkingDevices', 'NetworkingDevices', 'NetworkingDevicesPage'),
    redirectRoute('NetworkingDevices/Listing', '/$tenant/NetworkingDevices'),
    listing('NetworkingDevices/Listing/$viewId', 'NetworkingDevices', 'NetworkingDevicesPage'),
    networkingDevice,
    propertiesAt('Properties'),
    redirectRoute('Properties/Listing', '/$tenant/Properties'),
    propertiesAt('Properties/Listing/$viewId'),
    importHomes,
    addHome,
    archivedHomes,
    property,
    listing('ThirdParty', 'ThirdParty', 'ThirdPartyPage'),
    redirectRoute('ThirdParty/Listing', '/$tenant/ThirdParty'),
    listing('ThirdParty/Listing/$viewId', 'ThirdParty', 'ThirdPartyPage'),
    thirdPartyDevice,
    listing('Bcms', 'Bcms', 'BcmsPage'),
    listing('HomeHubs', 'HomeHubs', 'HomeHubsPage'),
    listing('VStats', 'VStats', 'VStatsPage'),
    listing('MultiDots', 'MultiDots', 'MultiDotsPage'),
    buildings,
    addBuilding,
    building,
    groups,
    plan,
    users,
    alerts,
    settings,
    tagSettings,
    accessRightsTagSettings,
    luminaireSettings,
    residentSettings,
    apiKeySettings,
    webhookSettings,
    connectionSettings,
    newSensors,
    sensorModels,
    sensorModel,
    connectionMessages,
    signInSettings,
    awaabsLawSettings,
    tenants,
    addTenant,
    editTenant,
    system,
    audit,
    managedService,
    reporting,
    breachRegister,
    myReports,
    mySchedules,
    mailbox,
    account,
    bulkActions,
    floorPlan,
    buildingMap,
    placeDevices,
    positionFloor,
    support,
    error,
    connectedDevice,
    ...otherNames,
    handover.addChildren([moveFromWholesale, emeredInstall, bcmInstall, networkInstall, connectedDeviceInstall]),
  ]),
])

/** The router of the portal. */
export const createPortalRouter = () =>
  createRouter({
    routeTree,
    defaultErrorComponent: ErrorScreen,
    defaultOnCatch: reportRouteError,
    defaultNotFoundComponent: NotFoundScreen,
    defaultPendingMinMs: 0,
    scrollRestoration: true,
    // A listing restores its scroll position however the user returns; other screens only on going back.
    getScrollRestorationKey: ({ pathname, href, state }) =>
      // oxlint-disable-next-line no-underscore-dangle -- the router's own name for an entry of the history
      isListing(segmentsOf(pathname)) ? href : (state.__TSR_key ?? href),
  })

type PortalRouter = ReturnType<typeof createPortalRouter>
type OwnPath = Exclude<keyof PortalRouter['routesByPath'], '' | '/' | '/$tenant/'>
/**
 * The server answers 404 to paths outside `pagePaths`: this compiles only if `pagePaths` contains exactly the routes.
 */
export const hasEveryPage: [OwnPath, PagePath] extends [PagePath, OwnPath] ? true : false = true

declare module '@tanstack/react-router' {
  interface Register {
    router: PortalRouter
  }
}
