import { trafficContract } from './real-traffic.contract.ts';

trafficContract('iptables');
