#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <fcntl.h>
#include <unistd.h>
#include <string.h>
#include <dirent.h>
#include <sys/stat.h>
static uint64_t live[100000]; static int nlive;
static void walk(const char *p){ struct stat st; char b[4096]; DIR*d; struct dirent*e; if(stat(p,&st))return; live[nlive++]=st.st_ino; d=opendir(p); if(!d)return; while((e=readdir(d))){ if(e->d_type!=DT_DIR||e->d_name[0]=='.')continue; snprintf(b,sizeof b,"%s/%s",p,e->d_name); walk(b);} closedir(d);}
static int cmp(const void*a,const void*b){uint64_t x=*(uint64_t*)a,y=*(uint64_t*)b;return x<y?-1:x>y;}
int main(int c,char**v){ struct stat sb; stat(v[1],&sb); uint64_t want=sb.st_ino; walk("/sys/fs/cgroup"); qsort(live,nlive,8,cmp);
 int g=open("/proc/kpagecgroup",O_RDONLY), f=open("/proc/kpageflags",O_RDONLY), k=open("/proc/kpagecount",O_RDONLY);
 static uint64_t G[65536],F[65536],K[65536]; uint64_t pfn=0; int pr=c>2; struct {uint64_t fl; int n;} h[64]; int nh=0,i;
 for(;;){ ssize_t n=pread(g,G,sizeof G,pfn*8); if(n<=0)break; pread(f,F,sizeof F,pfn*8); pread(k,K,sizeof K,pfn*8);
  for(i=0;i<n/8;i++){ uint64_t ino=G[i]; if(ino!=want)continue; int j; for(j=0;j<nh&&h[j].fl!=F[i];j++); if(j==nh&&nh<64){h[nh].fl=F[i];h[nh++].n=0;} h[j].n++; if(pr&&(F[i]>>5&1)) printf("pfn %lx count %lu\n",(long)(pfn+i),(long)K[i]); }
  pfn+=n/8; }
 static const char*names[]={"LOCKED","ERROR","REFERENCED","UPTODATE","DIRTY","LRU","ACTIVE","SLAB","WRITEBACK","RECLAIM","BUDDY","MMAP","ANON","SWAPCACHE","SWAPBACKED","C_HEAD","C_TAIL","HUGE","UNEVICT","HWPOISON","NOPAGE","KSM","THP","OFFLINE","ZERO","IDLE","PGTABLE","","","","","","RESERVED","MLOCKED","OWN2","PRIVATE","PRIVATE2","OWNPRIV","ARCH","UNCACHED","SOFTDIRTY"};
 for(i=0;i<nh;i++){ printf("pinned %d:",h[i].n); for(int b=0;b<41;b++) if(h[i].fl>>b&1) printf(" %s",names[b]); printf("\n"); } return 0; }
