import {
  IconApi,
  IconBroadcast,
  IconBuilding,
  IconBuildingBroadcastTower,
  IconBulb,
  IconCalendarEvent,
  IconCertificate,
  IconClipboardList,
  IconFlame,
  IconHistory,
  IconHome2,
  IconHomeSignal,
  IconLayoutDashboard,
  IconLifebuoy,
  IconMail,
  IconReportAnalytics,
  IconRouter,
  IconSettings,
  IconTemperature,
  IconUser,
  IconUsers,
} from '../icons/index.ts'

const icons: Partial<Record<string, typeof IconBulb>> = {
  Dashboard: IconLayoutDashboard,
  Properties: IconHome2,
  ManagedService: IconCertificate,
  Lighting: IconBulb,
  EmergencyLights: IconBulb,
  NetworkingDevices: IconRouter,
  Buildings: IconBuilding,
  EmergencyLightSchedules: IconCalendarEvent,
  EmergencyTestResults: IconClipboardList,
  Boilers: IconFlame,
  Bcms: IconFlame,
  HomeHubs: IconHomeSignal,
  VStats: IconTemperature,
  MultiDots: IconBroadcast,
  ThirdParty: IconApi,
  Users: IconUsers,
  Settings: IconSettings,
  Audit: IconHistory,
  Mailbox: IconMail,
  Reporting: IconReportAnalytics,
  MyAccount: IconUser,
  Support: IconLifebuoy,
}

/** The icon of an area, or of a sidebar group by name. */
export function AreaIcon({ name, size = 20 }: { name: string; size?: number }) {
  const Icon = icons[name] ?? IconBuildingBroadcastTower
  return <Icon size={size} stroke={1.7} aria-hidden />
}
