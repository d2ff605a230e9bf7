// Command cert-manager runs, in one process, the parts of cert-manager that the
// end-to-end tests need: the controllers that issue certificates from CA and
// self-signed issuers, and the cainjector. Left out are ACME, Vault, Venafi,
// the ingress and gateway shims, CertificateSigningRequests, metrics, leader
// election and cert-manager's own admission webhook.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	"github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/util"
	utilfeature "github.com/cert-manager/cert-manager/pkg/util/feature"

	// Each of these packages registers one controller, found by controller.Known().
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"

	// And each of these one kind of issuer, for the issuers and clusterissuers controllers.
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

const (
	// clusterResourceNamespace is where a ClusterIssuer's Secret is looked for.
	clusterResourceNamespace = "cert-manager"

	// workers is the number of objects that one controller handles at once.
	workers = 5
)

func main() {
	// -kubeconfig is not defined here: controller-runtime defines it.
	flag.Func("feature-gates", "comma-separated `Name=true|false` pairs, for the controllers and the cainjector",
		utilfeature.DefaultMutableFeatureGate.Set)
	flag.Parse()

	ctrl.SetLogger(logs.Log)
	if err := run(ctrl.SetupSignalHandler(), flag.Lookup("kubeconfig").Value.String()); err != nil {
		fmt.Fprintln(os.Stderr, "cert-manager:", err)
		os.Exit(1)
	}
}

// run returns when ctx is done, or with the first error of any controller.
func run(ctx context.Context, kubeconfig string) error {
	if kubeconfig == "" {
		return errors.New("-kubeconfig is required")
	}
	group, ctx := errgroup.WithContext(ctx)
	if err := startControllers(ctx, group, kubeconfig); err != nil {
		return err
	}
	if err := startCAInjector(ctx, group); err != nil {
		return fmt.Errorf("cainjector: %w", err)
	}
	return group.Wait()
}

// startControllers starts every registered controller, with the options that
// cert-manager's own program has by default.
func startControllers(ctx context.Context, group *errgroup.Group, kubeconfig string) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:    kubeconfig,
		IssuerOptions: controller.IssuerOptions{ClusterResourceNamespace: clusterResourceNamespace},
		CertificateOptions: controller.CertificateOptions{
			CopiedAnnotationPrefixes: []string{
				"*", "-kubectl.kubernetes.io/", "-fluxcd.io/", "-argocd.argoproj.io/",
			},
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return err
	}
	for name, construct := range controller.Known() {
		instance, err := construct(factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		group.Go(func() error { return instance.Run(workers, ctx) })
	}

	// The informers are shared and start last: a controller asks for its own when it is constructed.
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	shared.SharedInformerFactory.Start(ctx.Done())
	return nil
}

// startCAInjector starts the cainjector for all four kinds that can carry a caBundle.
func startCAInjector(ctx context.Context, group *errgroup.Group) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme, certmanagerv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	// The user agent is also the name under which the cainjector owns the fields that it applies.
	manager, err := ctrl.NewManager(util.RestConfigWithUserAgent(config, "cainjector"), ctrl.Options{
		Scheme: scheme,
		// Of Secrets only metadata is watched, so their data is read from the API server.
		Client:  client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	err = cainjector.RegisterAllInjectors(ctx, manager, cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor: map[string]bool{
			cainjector.MutatingWebhookConfigurationName:   true,
			cainjector.ValidatingWebhookConfigurationName: true,
			cainjector.APIServiceName:                     true,
			cainjector.CustomResourceDefinitionName:       true,
		},
	})
	if err != nil {
		return err
	}
	group.Go(func() error { return manager.Start(ctx) })
	return nil
}
