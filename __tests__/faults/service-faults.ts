import { ANSWER_FAULTS } from './answer-faults.ts'
import { BODY_FAULTS } from './body-faults.ts'
import { CONNECTION_FAULTS, TLS_FAULTS } from './connection-faults.ts'
import type { ServiceFault } from './service-fault.ts'
import { STATUS_FAULTS } from './status-faults.ts'

const PLAIN = { ...CONNECTION_FAULTS, ...ANSWER_FAULTS, ...BODY_FAULTS, ...STATUS_FAULTS }

type PlainFaultName = keyof typeof PLAIN
type TlsFaultName = keyof typeof TLS_FAULTS
export type ServiceFaultName = PlainFaultName | TlsFaultName

export const SERVICE_FAULTS: Readonly<Record<ServiceFaultName, ServiceFault>> = { ...PLAIN, ...TLS_FAULTS }
export const SERVICE_FAULT_NAMES = Object.keys(PLAIN) as PlainFaultName[]
export const TLS_FAULT_NAMES = Object.keys(TLS_FAULTS) as TlsFaultName[]
